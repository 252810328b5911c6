// What only a browser can do for the pages: they work without it.
// Nothing here makes HTML of a value: texts are set as texts.

/** The code of a link that signs in once is in the fragment, which no server and no log sees. */
function enter() {
  const form = document.getElementById("enter");
  const code = location.hash.slice(1);
  if (form && code) {
    history.replaceState(null, "", location.pathname);
    form.elements.code.value = code;
    form.requestSubmit();
  }
}

/** A button beside each text that people paste elsewhere. */
function copies() {
  for (const text of document.querySelectorAll("[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    });
    text.after(button);
  }
}

/** A change to a value unticks its NULL, and what has changed is named beside the button. */
function changes() {
  for (const form of document.querySelectorAll("form.item")) {
    const said = form.querySelector("[data-changes]");
    const values = () => new Map([...form.elements].filter((it) => it.name.startsWith("=") || it.name === "null")
      .map((it) => [it, it.type === "checkbox" ? it.checked : it.value]));
    const before = values();
    form.addEventListener("input", ({ target }) => {
      const tick = target.closest(".field")?.querySelector('[name="null"]');
      if (tick && target !== tick) tick.checked = false;
      const changed = [...values()].filter(([it, value]) => before.get(it) !== value);
      const names = new Set(changed.map(([it]) => it.name === "null" ? it.value : it.name.slice(1)));
      if (said) said.textContent = names.size ? `Changed: ${[...names].join(", ")}` : "";
    });
  }
}

/** What is typed survives a reload and an expired session; it is forgotten when it is sent or changed back. */
function drafts() {
  for (const [at, form] of [...document.querySelectorAll("form[data-draft]")].entries()) {
    const key = `draft ${at} ${location.pathname}`;
    const inputs = () => [...form.elements].filter((it) => it.name.startsWith("=") || it.name === "json");
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
    const etag = form.elements.etag?.value ?? "";
    if (kept && kept.etag === etag) {
      for (const input of inputs()) {
        if (kept.values[input.name] !== undefined && input.value !== kept.values[input.name]) {
          input.value = kept.values[input.name];
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }
      }
    }
    form.addEventListener("input", () => {
      const values = Object.fromEntries(inputs().map((it) => [it.name, it.value]));
      sessionStorage.setItem(key, JSON.stringify({ etag, values }));
    });
    if (document.querySelector(".done")) sessionStorage.removeItem(key);
  }
}

/** A form is sent when the server answers: while it does not, the page stays with what was typed, and says so. */
function reaches() {
  let asked = null, told = null;
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post" || asked === form) {
      asked = null;
      return;
    }
    event.preventDefault();
    const { submitter } = event;
    fetch(`${base()}/assets/icon.svg`, { method: "HEAD", cache: "no-store" }).then((answer) => {
      if (!answer.ok) throw new Error(answer.statusText);
      told?.remove();
      asked = form;
      form.requestSubmit(submitter);
    }).catch(() => {
      told?.remove();
      told = made("p", { class: "problem", role: "alert" }, "The server does not answer. Nothing was sent, and what you typed is still here: send it again when the server is back.");
      document.querySelector("main").prepend(told);
      told.scrollIntoView({ block: "nearest" });
    });
  });
}

/** Arrows, Home and End move through the cells of a grid; Enter opens its row; `/` goes to the filter. */
function keys() {
  const grid = document.querySelector('[role="grid"]');
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && singleKeys()) {
      document.querySelector('[role="search"] [name="value"], [role="search"] [name="words"]')?.focus();
      event.preventDefault();
    }
  });
  if (!grid) return;
  const rows = () => [...grid.tBodies[0].rows];
  const focus = (cell) => {
    if (!cell) return;
    grid.querySelectorAll('td[tabindex="0"]').forEach((it) => { it.tabIndex = -1; });
    cell.tabIndex = 0;
    cell.focus();
  };
  for (const row of rows()) for (const cell of row.cells) cell.tabIndex = -1;
  if (rows()[0]) rows()[0].cells[0].tabIndex = 0;
  grid.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    if (!cell) return;
    const all = rows(), row = all.indexOf(cell.parentElement), column = cell.cellIndex, last = cell.parentElement.cells.length - 1;
    const to = {
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1], ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? all.length - 1 : row, last],
      PageDown: [Math.min(row + 10, all.length - 1), column], PageUp: [Math.max(row - 10, 0), column],
    }[event.key];
    if (to) {
      focus(all[to[0]]?.cells[to[1]]);
      event.preventDefault();
    } else if (event.key === "Enter" && event.target === cell) {
      (cell.querySelector("a") ?? cell.parentElement.querySelector("a"))?.click();
    }
  });
}

/** Where single keys after `g` lead. */
const PLACES = { d: ["/", "Data"], c: ["/changes/", "Changes"], o: ["/operate/", "Operate"], m: ["/runs/", "Measure"], h: ["/docs/", "Manual"] };
/** The keys, as the help lists them. */
const KEYS = [
  ["Ctrl+K", "Go to a resource or a page"], ["?", "This list"], ["/", "To the filter, or to the search"],
  ...Object.entries(PLACES).map(([key, [, words]]) => [`g ${key}`, words]),
  ["Arrows, Home, End, Page Up, Page Down", "Move in a grid"], ["Enter", "Open the row, or follow the reference"],
  ["F2", "Change the cell"], ["Ctrl+S", "The changes"], ["Ctrl+Z", "Take the last change back"], ["Escape", "Close, or leave as it was"],
];

function made(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const base = () => document.querySelector(".brand")?.getAttribute("href").replace(/\/$/, "") ?? "";
const singleKeys = () => localStorage.getItem("single keys") !== "off";

/** A dialog over the page, which Escape closes; the focus returns to where it was. */
function dialog(label, ...children) {
  document.querySelector("dialog[open]")?.close();
  const element = made("dialog", { "aria-label": label, class: "over" }, ...children);
  element.addEventListener("close", () => element.remove());
  element.addEventListener("click", ({ target }) => { if (target === element) element.close(); });
  document.body.append(element);
  element.showModal();
  return element;
}

function help() {
  const list = KEYS.flatMap(([keys, words]) => [made("dt", {}, made("kbd", {}, keys)), made("dd", {}, words)]);
  const off = made("input", { type: "checkbox" });
  off.checked = !singleKeys();
  off.addEventListener("change", () => localStorage.setItem("single keys", off.checked ? "off" : "on"));
  const close = made("button", { type: "button" }, "Close");
  const shown = dialog("Keys", made("h2", {}, "Keys"), made("dl", { class: "keys" }, ...list),
    made("p", {}, made("label", {}, off, " Without Ctrl, keys do nothing")), close);
  close.addEventListener("click", () => shown.close());
}

/** All links of the bar, of this page's head, and the resources that the first page lists: those with the words, where it has
 *  no room for all. */
async function places(words = "") {
  const found = new Map();
  const add = (links, kind) => { for (const it of links) if (!found.has(it.href)) found.set(it.href, [it.textContent.trim(), kind]); };
  add(document.querySelectorAll(".head a"), "this page");
  add(document.querySelectorAll(".bar nav a"), "part");
  const answer = await fetch(`${base()}/${words ? `?find=${encodeURIComponent(words)}` : ""}`).catch(() => null);
  let isCut = false;
  if (answer?.ok) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    isCut = page.querySelector("[data-cut]") !== null;
    for (const link of page.querySelectorAll("main tbody th a")) {
      const href = new URL(link.getAttribute("href"), location.href).href;
      if (!found.has(href)) found.set(href, [link.textContent.trim(), link.closest("section")?.getAttribute("aria-label") ?? ""]);
    }
  }
  return [[...found], isCut];
}

async function palette() {
  const input = made("input", { type: "text", role: "combobox", "aria-label": "Go to", "aria-expanded": "true", "aria-controls": "places", autocomplete: "off", placeholder: "Go to" });
  const list = made("ul", { role: "listbox", id: "places", "aria-label": "Places" });
  const shown = dialog("Go to", input, list);
  let [all, isCut] = await places();
  let options = [], at = 0, asked = 0;
  const choose = (number) => {
    at = Math.max(0, Math.min(number, options.length - 1));
    options.forEach((it, index) => it.setAttribute("aria-selected", String(index === at)));
    options[at]?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[at]?.id ?? "");
  };
  const show = () => {
    const words = input.value.toLowerCase().split(" ").filter(Boolean);
    const fits = all.filter(([, [name, kind]]) => words.every((word) => `${name} ${kind}`.toLowerCase().includes(word))).slice(0, 50);
    options = fits.map(([href, [name, kind]], index) => {
      const option = made("li", { role: "option", id: `place${index}` }, made("span", {}, name), " ", made("small", {}, kind));
      option.addEventListener("click", () => { location.href = href; });
      return option;
    });
    list.replaceChildren(...options);
    choose(0);
  };
  input.addEventListener("input", async () => {
    show();
    if (!isCut) return;
    const own = ++asked;
    const [found] = await places(input.value);
    if (own !== asked) return;
    all = found;
    show();
  });
  input.addEventListener("keydown", (event) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (to !== undefined) choose(to);
    else if (event.key === "Enter") options[at]?.click();
    else return;
    event.preventDefault();
  });
  show();
  return shown;
}

/** Ctrl+K, `?`, and two keys that lead to a part of the console. */
function shortcuts() {
  let before = "";
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) palette();
      return;
    }
    const typing = event.target.matches?.("input, textarea, select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !singleKeys()) return;
    const place = before === "g" && PLACES[event.key];
    before = event.key;
    const link = place && document.querySelector(`.bar nav a[href="${base()}${place[0]}"]`);
    if (link) link.click();
    else if (event.key === "?") help();
    else return;
    event.preventDefault();
  });
}

enter();
copies();
changes();
drafts();
reaches();
keys();
shortcuts();
