// The page that imports rows: they are sent as they are, and the answer is shown below the form.

const form = document.getElementById("import");
const found = document.getElementById("found");

/** What is chosen for each column, as the answer has asked. */
function chosen() {
  const selects = [...document.querySelectorAll("#columns select")];
  return selects.length ? JSON.stringify(selects.map((it) => it.value)) : "";
}

async function send(step) {
  const query = new URLSearchParams({ csrf: form.elements.csrf.value, step });
  for (const name of ["upsert", "some"]) if (form.elements[name]?.checked) query.set(name, "true");
  if (step !== "look" && chosen()) query.set("map", chosen());
  const body = form.elements.file.files[0] ?? form.elements.text.value;
  found.setAttribute("aria-busy", "true");
  const answer = await fetch(`${location.pathname}?${query}`, { method: "POST", body, headers: { "Content-Type": "application/octet-stream" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  // A whole page says why there is none of these rows, such as a session that has ended.
  found.replaceChildren(...(page.getElementById("main") ?? page.body).childNodes);
  found.removeAttribute("aria-busy");
}

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.submitter?.value ?? "look");
});
