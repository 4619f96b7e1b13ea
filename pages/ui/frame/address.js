// The browser's half of address.py: the address bar says what the page shows, without a new entry in the history.

export default ({ data }) => {
  const { pathname, search, hash } = window.location;
  const last = pathname.split("/").pop();
  const here = data.pages.includes(last) ? last : "";
  if (here !== data.page) return; // the visitor has gone on to another page meanwhile
  const kept = [...new URLSearchParams(search)].filter(([name]) => name.startsWith("embed"));
  const embed = kept.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const wanted = `?${[...embed, data.query].join("&")}`;
  if (wanted !== search) window.history.replaceState(window.history.state, "", pathname + wanted + hash);
};
