// The page of a run: its report, a page of its own, takes the height that it needs, and the page is read again when the run
// begins to be measured, and when it has ended.

const frame = document.querySelector("iframe.report");

/** The report is as high as its text, so that the page scrolls as one. */
function fit() {
  const inner = frame.contentDocument;
  if (!inner?.body) return;
  const height = () => { frame.style.height = `${inner.body.scrollHeight + 4}px`; };
  new ResizeObserver(height).observe(inner.body);
  height();
  inner.addEventListener("ended", () => location.reload());
  // The report may say the end before the run's process has ended: then nothing in it tells of the end any more.
  if ("live" in frame.dataset && !inner.body.dataset.live) again();
}

/** Reads the page again soon. */
function again() {
  setTimeout(() => location.reload(), 700);
}

if (frame) {
  frame.addEventListener("load", fit);
  if (frame.contentDocument?.readyState === "complete") fit();
}
if (document.querySelector("[data-begins]")) {
  again();
}

// A note that is typed while the run ends is kept over the reload.
const note = document.getElementById("note");
if (note) {
  const key = `note ${location.pathname}`;
  note.value = sessionStorage.getItem(key) ?? "";
  note.addEventListener("input", () => sessionStorage.setItem(key, note.value));
  note.form.addEventListener("submit", () => sessionStorage.removeItem(key));
}
