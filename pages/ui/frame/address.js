// The browser's half of address.py: the address bar says what the page shows, without a new entry in the history.

const STORE = "attention-lab-link-";
const MOST = 40; // long links that are kept: the oldest go
let answered = null; // the key that the server was told about last

// Every link that is too long for an address, under a key that stands there in its place.
function keep(query) {
  let hash = 0xcbf29ce484222325n;
  for (const sign of query) hash = BigInt.asUintN(64, (hash ^ BigInt(sign.codePointAt(0))) * 0x100000001b3n);
  const key = hash.toString(16).padStart(16, "0");
  try {
    localStorage.setItem(STORE + key, JSON.stringify({ at: Date.now(), query }));
    const all = Object.keys(localStorage).filter((name) => name.startsWith(STORE));
    const age = (name) => JSON.parse(localStorage.getItem(name))?.at ?? 0;
    all.sort((a, b) => age(b) - age(a));
    for (const old of all.slice(MOST)) localStorage.removeItem(old);
    return key;
  } catch {
    return null; // no storage: the address is as long as it is
  }
}

function found(key) {
  try {
    return JSON.parse(localStorage.getItem(STORE + key))?.query ?? "";
  } catch {
    return "";
  }
}

export default ({ data, setTriggerValue }) => {
  const { pathname, search, hash } = window.location;
  const last = pathname.split("/").pop();
  const here = data.pages.includes(last) ? last : "";
  if (here !== data.page) return; // the visitor has gone on to another page meanwhile
  if (data.wanted) {
    if (answered !== data.wanted) {
      answered = data.wanted;
      setTriggerValue("found", found(data.wanted));
    }
    return; // the address stays until the page is as it says
  }
  let query = data.query;
  if (query.length > data.longest) {
    const key = keep(query);
    if (key) query = `${data.language}&kept=${key}`;
  }
  const embedded = [...new URLSearchParams(search)].filter(([name]) => name.startsWith("embed"));
  const embed = embedded.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const wanted = `?${[...embed, query].join("&")}`;
  if (wanted !== search) window.history.replaceState(window.history.state, "", pathname + wanted + hash);
};
