// The browser's half of memory.py: what a visitor answered, in this browser's localStorage.

const KEY = "attention-lab";
let seen = {}; // each answer as this tab last knew it: another tab's newer one is not written over
let forgotten = 0;
let told = null; // the session that was told what is stored

function stored() {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY));
    return saved?.version === 1 && typeof saved.answers === "object" && saved.answers ? saved.answers : {};
  } catch {
    return {}; // no storage, or not ours
  }
}

export default ({ data, setTriggerValue }) => {
  const { answers, most, session, forget } = data;
  if (forget > forgotten) {
    forgotten = forget;
    seen = {};
    try {
      for (const key of Object.keys(localStorage)) if (key.startsWith(KEY)) localStorage.removeItem(key);
    } catch {
      return;
    }
  }
  if (told !== session) {
    told = session;
    const saved = stored();
    seen = { ...saved };
    if (Object.keys(saved).length && !forget) setTriggerValue("recalled", JSON.stringify(saved));
  }
  const changed = Object.entries(answers).filter(([code, text]) => seen[code] !== text);
  if (!changed.length) return;
  seen = { ...seen, ...Object.fromEntries(changed) };
  const text = JSON.stringify({ version: 1, answers: { ...stored(), ...Object.fromEntries(changed) } });
  if (text.length > most) return;
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // full or forbidden: everything works without
  }
};
