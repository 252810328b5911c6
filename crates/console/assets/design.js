// The page that designs a view: what is typed is checked by the server as soon as one pauses, a switch changes the text, and a
// mistake leads to its place. Without this script the buttons do the same. Nothing here makes HTML of a value but the
// server's own answer, in which values are escaped.

const form = document.getElementById("design");
const text = document.getElementById("text");
const part = document.getElementById("designed");
const key = `design ${location.pathname}${location.search}`;
// Not `form.action`, which is its button of that name.
const page = form.getAttribute("action");
const tryKey = `try ${key}`;
const PAUSE = 400;
let waiting, number = 0;

/** Takes what the server says of the text, unless that has changed meanwhile. */
async function ask(more = {}) {
  clearTimeout(waiting);
  const own = ++number;
  const sent = new FormData(form);
  for (const [name, value] of Object.entries(more)) sent.set(name, value);
  const answer = await fetch(page, { method: "POST", body: new URLSearchParams(sent), headers: { Accept: "text/fragment" } }).catch(() => null);
  if (own !== number) return;
  if (!answer?.ok) {
    part.replaceChildren(Object.assign(document.createElement("p"), { className: "problem", textContent: "The server did not check the definition. Reload the page." }));
    return;
  }
  const answered = new DOMParser().parseFromString(await answer.text(), "text/html");
  const focused = document.activeElement?.closest("#designed [name]");
  const open = new Set([...part.querySelectorAll("details[open] > summary")].map((it) => it.textContent));
  const changed = answered.querySelector("[data-text]");
  if (changed) {
    text.value = changed.value;
    keep();
    changed.remove();
  }
  const typed = tries();
  part.replaceChildren(...answered.body.childNodes);
  fill(Object.keys(typed).length ? typed : JSON.parse(sessionStorage.getItem(tryKey) ?? "{}"));
  for (const it of part.querySelectorAll("details")) if (open.has(it.querySelector("summary").textContent)) it.open = true;
  const same = (it) => it.name === focused?.name && (it.tagName !== "BUTTON" || it.value === focused.value);
  [...part.querySelectorAll("[name]")].find(same)?.focus();
  text.setAttribute("aria-invalid", String(Boolean(part.querySelector(".mistake"))));
}

function keep() {
  sessionStorage.setItem(key, text.value);
}

/** What was typed of the write to try. */
function tries() {
  return Object.fromEntries([...part.querySelectorAll(".attempt [name]:not(button)")].map((it) => [it.name, it.value]));
}

/** Shows it again, or the first document where nothing was typed; buttons use another one. */
function fill(typed) {
  for (const it of part.querySelectorAll("[data-use]")) it.hidden = false;
  for (const it of part.querySelectorAll(".attempt [name]:not(button)")) {
    const has = it.tagName !== "SELECT" || [...it.options].some((option) => option.value === typed[it.name]);
    if (typed[it.name] !== undefined && has) it.value = typed[it.name];
  }
  const first = part.querySelector("[data-use]");
  if (first && !part.querySelector("#document").value.trim()) use(first);
}

function use(button) {
  const set = (name, value) => {
    const it = part.querySelector(`.attempt [name=${name}]`);
    if (it) it.value = value;
  };
  set("view", button.dataset.use);
  set("key", button.dataset.key);
  set("document", button.closest("details").querySelector("pre").textContent);
  keepTry();
}

function keepTry() {
  sessionStorage.setItem(tryKey, JSON.stringify(tries()));
}

text.addEventListener("input", () => {
  keep();
  clearTimeout(waiting);
  waiting = setTimeout(ask, PAUSE);
});

form.addEventListener("submit", (event) => {
  const { name, value } = event.submitter ?? {};
  if (name === "action" && value === "store") sessionStorage.removeItem(key);
  if (name === "action" && (value === "download" || value === "store")) return;
  event.preventDefault();
  ask(name && !(name === "action" && value === "check") ? { [name]: value } : {});
});

part.addEventListener("input", keepTry);

// A control of the form changes the text as soon as it is left.
part.addEventListener("change", ({ target }) => {
  if (target.closest(".model")) ask({ action: "form" });
});

part.addEventListener("click", ({ target }) => {
  if (target.dataset.use !== undefined) {
    use(target);
    part.querySelector("#document").focus();
    return;
  }
  if (target.dataset.from === undefined) return;
  text.focus();
  text.setSelectionRange(Number(target.dataset.from), Math.max(Number(target.dataset.to), Number(target.dataset.from) + 1));
});

// What was typed survives a reload.
const kept = sessionStorage.getItem(key);
if (kept !== null && kept !== text.value) {
  text.value = kept;
  ask();
}
else fill(JSON.parse(sessionStorage.getItem(tryKey) ?? "{}"));
