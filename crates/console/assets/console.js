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

/** Arrows, Home and End move through the cells of a grid; Enter opens its row; `/` goes to the filter. */
function keys() {
  const grid = document.querySelector('[role="grid"]');
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
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

enter();
copies();
changes();
drafts();
keys();
