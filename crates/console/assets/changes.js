// Changes that a tab collects until they are saved together, and cells that are changed in place.
// Items are kept as JSON text and never read as numbers: a number of many digits stays what it is.
// Nothing here makes HTML of a value: texts are set as texts.

const KEY = "changes";
const link = document.querySelector("[data-collected]");
const csrf = document.querySelector('[name="csrf"]')?.value ?? "";
const word = link.textContent;

const list = () => JSON.parse(sessionStorage.getItem(KEY) ?? "[]");

function keep(all) {
  sessionStorage.setItem(KEY, JSON.stringify(all));
  link.textContent = all.length ? `${word} (${all.length})` : word;
}

const isOf = (change, { mount, path }) => change.mount === mount && change.path === path && change.method !== "POST";

/** A later change of an item takes the place of an earlier one: it has what that one changed. */
function add(change) {
  keep([...list().filter((it) => change.method === "POST" || !isOf(it, change)), change]);
}

/** The members of an item, each as the text that a form shows; NULL is null. */
function texts(json) {
  if (!json) return new Map();
  const item = JSON.parse(json, (_, value, context) => typeof value === "number" && context?.source ? { source: context.source } : value);
  const text = (value) => value === null ? null : typeof value === "string" ? value : value.source ?? JSON.stringify(value, (_, it) => it?.source ? Number(it.source) : it);
  return new Map(Object.entries(item).map(([name, value]) => [name, text(value)]));
}

async function send(address, values) {
  const answer = await fetch(address, { method: "POST", body: new URLSearchParams({ csrf, ...values }) });
  const isJson = (answer.headers.get("content-type") ?? "").startsWith("application/json");
  return { ok: answer.ok && isJson, json: isJson ? await answer.json() : {} };
}

/** A line for what has just happened, also for people who do not see it. */
function say(text) {
  let line = document.querySelector("p.said");
  if (!line) {
    line = document.createElement("p");
    line.className = "said";
    line.setAttribute("role", "status");
    document.querySelector("main").append(line);
  }
  line.textContent = text;
}

/** "Add to the changes", beside "Save". What is wrong is said by the page that the form itself gets. */
function buttons() {
  for (const button of document.querySelectorAll("[data-collect]")) {
    button.hidden = false;
    button.addEventListener("click", async (event) => {
      if (button.dataset.direct) return;
      event.preventDefault();
      const { form } = button;
      const { ok, json } = await send(form.getAttribute("action"), Object.fromEntries(new FormData(form, button)));
      if (ok) {
        add(json);
        say("Added to the changes.");
      } else {
        button.dataset.direct = "1";
        form.requestSubmit(button);
      }
    });
  }
}

/** A form shows what is collected of its item already, so that a further change goes on from there. */
function forms() {
  const change = pendingOf(location.href.split(/[?#]/)[0]);
  if (!change?.body) return;
  const members = texts(change.body);
  for (const form of document.querySelectorAll("form[data-draft]")) {
    if (!form.elements.etag) continue;
    form.elements.etag.value = change.etag;
    if (form.elements.base) form.elements.base.value = change.base;
    if (form.elements.json) form.elements.json.value = change.body;
    for (const box of form.querySelectorAll(".field")) {
      const input = box.querySelector('[name^="="]');
      const text = members.get(input.name.slice(1));
      const isNull = box.querySelector('[name="null"]');
      if (text !== undefined && !input.readOnly && !input.disabled) input.value = text ?? "";
      if (isNull) isNull.checked = text === null;
    }
    say("The form shows a change that is collected and not saved yet.");
  }
}

/** The page of the changes shows the tab's own list; what it has undone or saved leaves the list. */
function page() {
  const form = document.getElementById("changes");
  if (!form) return;
  if (form.dataset.asks === undefined) {
    keep(JSON.parse(form.elements.list.value));
  } else if (list().length) {
    form.elements.list.value = JSON.stringify(list());
    form.submit();
  }
}

const grid = document.querySelector("table[data-edit]");
const nameOf = (cell) => grid.tHead.rows[0].cells[cell.cellIndex].dataset.name;
const itemOf = (row) => row.querySelector(".open a")?.href.split("?")[0];
const pendingOf = (page) => list().find((it) => it.method !== "POST" && page?.endsWith(`${it.mount}/${it.path}`));

function show(cell, text) {
  const span = cell.querySelector("span") ?? cell.appendChild(document.createElement("span"));
  span.textContent = text ?? "NULL";
  cell.classList.toggle("null", text === null);
  cell.classList.add("changed");
}

/** Marks what is collected in the rows of the page. */
function marks() {
  for (const row of grid.tBodies[0].rows) {
    const change = pendingOf(itemOf(row));
    if (!change) continue;
    row.classList.toggle("deleted", change.method === "DELETE");
    const [before, after] = [texts(change.base), texts(change.body)];
    for (const cell of change.body ? row.cells : []) {
      const name = nameOf(cell);
      if (name && before.get(name) !== after.get(name)) show(cell, after.get(name));
    }
  }
}

/** The field of a cell, and what is to be sent with it; null where it cannot be changed. */
async function fieldOf(cell) {
  const [page, name] = [itemOf(cell.parentElement), nameOf(cell)];
  if (!page || !name) return null;
  const answer = await fetch(`${page}?as=json`);
  if (!answer.ok) return null;
  const { etag, base, fields } = await answer.json();
  const field = fields.find((it) => it.name === name);
  if (!field || field.fixed) return null;
  const change = pendingOf(page);
  if (change?.method === "DELETE") return null;
  if (!change) return { page, field, etag, base, yours: base };
  const text = texts(change.body).get(name);
  return { page, field: { ...field, text: text ?? "", isNull: text === null }, etag: change.etag, base: change.base, yours: change.body };
}

/** The cell that is under way to the server. */
let under = Promise.resolve();

/** Changes a cell in place: Enter, Tab or leaving it keeps the text, Escape does not, Ctrl+Backspace makes it NULL. */
async function edit(cell) {
  if (cell.querySelector(".editing")) return;
  const facts = await fieldOf(cell);
  if (!facts) return say("This cell cannot be changed here. Open the row.");
  const { field } = facts;
  const box = document.createElement(field.json || /[\r\n]/.test(field.text) || field.text.length > 60 ? "textarea" : "input");
  box.className = "editing";
  box.value = field.text;
  // A box has one kind of line ends, whatever the text has.
  const before = box.value;
  box.setAttribute("aria-label", field.name);
  let done = false;
  const end = (focus) => {
    done = true;
    box.remove();
    cell.classList.remove("open-cell");
    if (focus) cell.focus();
  };
  const commit = (isNull, next) => { under = write(isNull, next); };
  const write = async (isNull, next) => {
    if (done) return;
    if (isNull ? field.isNull : box.value === before && !(field.isNull && box.value)) return end(true), next?.();
    done = true;
    const values = { action: "collect", as: "json", etag: facts.etag, base: facts.base, yours: facts.yours, [`=${field.name}`]: isNull ? "" : box.value };
    const { ok, json } = await send(facts.page, isNull ? { ...values, null: field.name } : values);
    if (ok) {
      const text = isNull ? null : box.value;
      add(json);
      end(true);
      show(cell, text);
      say(`${field.name} is changed. Nothing is saved before you save the changes.`);
      next?.();
    } else {
      done = false;
      box.setAttribute("aria-invalid", "true");
      box.title = json.problem ?? "This was refused. Reload the page.";
      say(`${field.name}: ${box.title}`);
      box.focus();
    }
  };
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const beside = event.shiftKey ? cell.previousElementSibling : cell.nextElementSibling;
    if (event.key === "Escape") end(true);
    else if (event.key === "Enter" && !event.shiftKey) commit(false);
    else if (event.key === "Tab" && beside && nameOf(beside)) commit(false, () => edit(beside));
    else if (event.key === "Backspace" && event.ctrlKey && field.nullable) commit(true);
    else return;
    event.preventDefault();
  });
  box.addEventListener("blur", () => commit(false));
  cell.classList.add("open-cell");
  cell.append(box);
  box.focus();
  box.select();
}

function cells() {
  marks();
  grid.addEventListener("dblclick", ({ target }) => {
    const cell = target.closest("td");
    if (cell && nameOf(cell)) edit(cell);
  });
  // Before the keys that move and open.
  grid.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    if (!cell || event.target !== cell || !nameOf(cell)) return;
    if (event.key !== "F2" && !(event.key === "Enter" && !cell.querySelector("a"))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    edit(cell);
  }, true);
}

/** Ctrl+S reviews what is collected, Ctrl+Z takes the last change back. */
function keys() {
  document.addEventListener("keydown", async (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "s") {
      event.preventDefault();
      document.activeElement?.blur();
      await under;
      if (list().length) link.click();
    } else if (event.key === "z" && !typing && list().length) {
      event.preventDefault();
      keep(list().slice(0, -1));
      location.reload();
    }
  });
}

keep(list());
buttons();
forms();
page();
if (grid) cells();
keys();
