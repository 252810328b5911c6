// The page that watches the server: it asks for the figures each second and shows rates and percentiles of the last ones.
// Nothing here makes HTML of a value: texts are set as texts.

const KEPT = 300;
const WINDOW = 10;
const SVG = "http://www.w3.org/2000/svg";
const seen = [];
let paused = false;

const $ = (id) => document.getElementById(id);
const number = (value, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });

/** How much the counts of a resource have grown between two looks. */
function growth(now, before) {
  const known = new Map(before.resources.map((it) => [`${it.application} ${it.resource}`, it]));
  return now.resources.map((it) => {
    const old = known.get(`${it.application} ${it.resource}`) ?? { statuses: {}, buckets: [], seconds: 0 };
    const statuses = Object.fromEntries(Object.entries(it.statuses).map(([status, count]) => [status, count - (old.statuses[status] ?? 0)]));
    const buckets = it.buckets.map(([end, count], at) => [end, count - (old.buckets[at]?.[1] ?? 0)]);
    return { ...it, statuses, buckets, count: Object.values(statuses).reduce((a, b) => a + b, 0) };
  });
}

/** A percentile of counts up to ends, in milliseconds; null without requests. */
function percentile(buckets, share) {
  const all = buckets.at(-1)?.[1] ?? 0;
  if (!all) return null;
  let [from, below] = [0, 0];
  for (const [end, count] of buckets) {
    if (count >= share * all) {
      if (end === null) return from * 1000;
      return (from + (end - from) * (share * all - below) / Math.max(count - below, 1)) * 1000;
    }
    [from, below] = [end ?? from, count];
  }
  return from * 1000;
}

function together(resources) {
  const sums = [];
  for (const { buckets } of resources) {
    for (const [at, [end, count]] of buckets.entries()) sums[at] = [end, (sums[at]?.[1] ?? 0) + count];
  }
  return sums;
}

function draw(svg, lines) {
  const most = Math.max(1e-9, ...lines.flatMap(({ values }) => values.filter((it) => it !== null)));
  const elements = [];
  const add = (name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    elements.push(element);
  };
  for (const share of [0, 0.5, 1]) {
    const y = 125 - share * 110;
    add("line", { x1: 50, x2: 600, y1: y, y2: y, class: "axis" });
    add("text", { x: 46, y: y + 4, class: "mark" }, number(most * share, most < 10 ? 1 : 0));
  }
  for (const { values, name } of lines) {
    const x = (at) => 50 + (550 * (KEPT - values.length + at)) / KEPT;
    const points = values.map((value, at) => value === null ? null : `${x(at).toFixed(1)},${(125 - (value / most) * 110).toFixed(1)}`);
    add("polyline", { points: points.filter(Boolean).join(" "), class: name });
  }
  svg.replaceChildren(...elements);
}

function fill(table, rows) {
  table.tBodies[0].replaceChildren(...rows.map((cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  }));
}

/** What is shown of a database: the figure's name, its words, what it is divided by, and how it is shown. */
const FIGURES = [
  ["commits", "Commits a second", 1, "rate"], ["rollbacks", "Rollbacks a second", 1, "rate"],
  ["rows_read", "Rows read a second", 1, "rate"], ["pages_read", "Pages of rows a second", 1, "rate"],
  ["rows_changed", "Rows changed a second", 1, "rate"], ["blocks_from_cache", "Blocks from the cache", 1, "cache"],
  ["blocks_read", "Blocks read a second", 1, "rate"], ["read_milliseconds", "Reading, ms a second", 1, "rate"],
  ["write_milliseconds", "Writing, ms a second", 1, "rate"], ["temporary_bytes", "Temporary files, MB a second", 1e6, "rate"],
  ["wal_bytes", "Write-ahead log, MB a second", 1e6, "rate"], ["deadlocks", "Deadlocks", 1, "sum"],
  ["retries", "Writes run again", 1, "sum"], ["checkpoints", "Checkpoints", 1, "sum"],
];
const GAUGES = [
  ["file_bytes", "File, MB", 1e6], ["free_bytes", "Free in it, MB", 1e6], ["wal_bytes", "Write-ahead log, MB", 1e6],
  ["cache_bytes_of_a_connection", "Cache of a connection, MB", 1e6], ["sessions", "Sessions", 1], ["most_sessions", "At most", 1],
];

function made(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The figures of a database since a look before; rates need two. */
function figuresOf(now, before, seconds) {
  const grown = (name) => Math.max(0, now.counters[name] - (before?.counters?.[name] ?? now.counters[name]));
  const figures = [];
  for (const [name, words, by, kind] of FIGURES) {
    if (now.counters?.[name] === undefined) continue;
    if (kind === "sum") figures.push([words, number(now.counters[name])]);
    else if (seconds <= 0) continue;
    else if (kind === "cache") {
      const all = grown(name) + grown("blocks_read");
      figures.push([words, all ? `${number((grown(name) / all) * 100, 1)} %` : "–"]);
    } else figures.push([words, number(grown(name) / by / seconds, by > 1 ? 2 : 1)]);
  }
  for (const [name, words, by] of GAUGES) {
    if (now.gauges?.[name] !== undefined) figures.push([words, number(now.gauges[name] / by, by > 1 ? 1 : 0)]);
  }
  return figures;
}

/** Sessions by state, then those that wait for others, in red, with whom they wait for, then those that do something. */
function sessionsOf(sessions) {
  const known = new Map(sessions.map((it) => [it.process, it]));
  const states = new Map();
  for (const it of sessions) {
    const state = it.blockedBy.length || it.wait === "Lock" ? "blocked" : it.state ?? "not to be read";
    states.set(state, (states.get(state) ?? 0) + 1);
  }
  const counts = [...states].sort((a, b) => b[1] - a[1]).map(([state, count]) => made("li", { class: state === "blocked" ? "blocked" : "" }, `${number(count)} ${state}`));
  const who = (process) => {
    const it = known.get(process);
    return it ? `${process} (${[it.user, it.program, it.state].filter(Boolean).join(", ")})` : String(process);
  };
  const blocking = new Set(sessions.flatMap((it) => it.blockedBy));
  const shown = sessions.filter((it) => it.blockedBy.length || blocking.has(it.process) || (it.state && it.state !== "idle"));
  const rows = shown.map((it) => {
    const cells = [it.process, it.user, it.program, it.state ?? "–", it.verb ?? "–", number(it.seconds, 1), it.wait ?? "–", it.blockedBy.map(who).join("; ") || "–"];
    return made("tr", { class: it.blockedBy.length ? "blocked" : "" }, ...cells.map((text) => made("td", {}, String(text))));
  });
  const head = ["Process", "User", "Program", "State", "Statement", "Seconds", "Waits for", "Blocked by"];
  const table = made("div", { class: "scroll" }, made("table", { class: "grid sessions" },
    made("thead", {}, made("tr", {}, ...head.map((text) => made("th", { scope: "col" }, text)))), made("tbody", {}, ...rows)));
  return [made("ul", { class: "states", "aria-label": "Sessions by state" }, ...counts), ...(rows.length ? [table] : [])];
}

function showDatabases(now, first, seconds) {
  const blocks = (now.databases ?? []).flatMap((it) => {
    const title = made("h2", {}, `${it.application}: ${it.database}`);
    if (it.error) return [title, made("p", { class: "problem" }, it.error)];
    const before = first.databases?.find((other) => other.application === it.application);
    const figures = figuresOf(it, before, seconds).map(([words, text]) => made("div", {}, made("dt", {}, words), made("dd", {}, text)));
    const sessions = it.kind === "postgres" ? sessionsOf(it.sessions) : [];
    return [title, made("dl", { class: "figures" }, ...figures), ...sessions, ...it.unread.map((text) => made("p", { class: "nothing" }, text))];
  });
  $("databases").replaceChildren(...blocks);
}

/** Batches, items in memory and tenants: rates and shares since a look before; figures that only grow where there is none. */
function showGroups(now, first, seconds) {
  const known = (group, it) => seconds > 0 && first[group]?.find((other) => other.application === it.application && other.name === it.name);
  const grown = (group, it, name) => Math.max(0, (it[name] ?? 0) - (known(group, it)?.[name] ?? 0));
  const rate = (value) => seconds > 0 ? number(value / seconds, 1) : "–";
  const mean = (sum, count) => count ? number(sum / count, 1) : "–";
  fill($("batches"), now.batches.map((it) => {
    const of = (name) => grown("batches", it, name);
    return [it.application, rate(of("batches")), mean(of("keys"), of("batches")), rate(of("transactions")), mean(of("writes"), of("transactions")), number(it.retries ?? 0)];
  }));
  const items = now.items.filter((it) => it.capacity || it.entries);
  $("items").hidden = !items.length;
  fill($("items").querySelector("table"), items.map((it) => {
    const [hits, misses] = ["hits", "misses"].map((name) => grown("items", it, name));
    const share = hits + misses ? `${number((hits / (hits + misses)) * 100, 1)} %` : "–";
    return [it.name, number(it.entries ?? 0), `${number((it.bytes ?? 0) / 2 ** 20, 1)} of ${number((it.capacity ?? 0) / 2 ** 20, 1)}`,
      rate(hits), rate(misses), share, number(it.stale ?? 0), number(it.evicted ?? 0)];
  }));
  $("lags").textContent = now.lags.map((it) => `${it.application}: commits of others are known after ${number(it.seconds, 3)} s at most.`).join(" ");
  $("tenants").hidden = !now.tenants.length;
  fill($("tenants").querySelector("table"), now.tenants.map((it) => {
    const requests = grown("tenants", it, "requests");
    return [it.application, it.name, rate(requests), requests ? number((grown("tenants", it, "seconds") / requests) * 1000, 2) : "–",
      number(it.failures ?? 0), number(it.refused ?? 0), number(it.active ?? 0)];
  }));
}

/** What changes slowly is read again as a part of the page, unless somebody is in it; what is open stays open. */
async function again() {
  const state = $("state");
  if (paused || document.hidden || state.contains(document.activeElement)) return;
  const heat = new URLSearchParams(location.search).get("heat") ?? "";
  const answer = await fetch(`?as=state&heat=${encodeURIComponent(heat)}`).catch(() => null);
  if (!answer?.ok) return;
  const part = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const open of state.querySelectorAll("details[open][id]")) part.getElementById(open.id)?.setAttribute("open", "");
  state.replaceChildren(...part.body.childNodes);
}

function show() {
  const now = seen.at(-1), first = seen.at(-Math.min(WINDOW + 1, seen.length));
  const seconds = (now.at - first.at) / 1000;
  const set = (name, text) => { document.querySelector(`[data-figure="${name}"]`).textContent = text; };
  const { plain } = now;
  set("requests", number(plain.duet_requests_total ?? 0));
  set("connections", number(plain.duet_connections ?? 0));
  set("memory", `${number((plain.duet_memory_bytes ?? 0) / 2 ** 20, 1)} of ${number((plain.duet_memory_limit_bytes ?? 0) / 2 ** 20)} MiB`);
  set("turn", `${number(now.turn * 1000, 1)} ms`);
  fill($("queues"), now.queues.filter((it) => it.running || it.waiting || it.refused || it.admitted)
    .map((it) => [it.application, it.name, number(it.running), number(it.waiting), number(it.refused ?? 0)]));
  showGroups(now, first, seconds);
  showDatabases(now, first, seconds);
  if (seconds <= 0) return;
  $("charts").hidden = false;
  const rates = [], p50 = [], p99 = [];
  for (let at = 1; at < seen.length; at += 1) {
    const grown = growth(seen[at], seen[at - 1]);
    const buckets = together(grown);
    rates.push((seen[at].plain.duet_requests_total - seen[at - 1].plain.duet_requests_total) / ((seen[at].at - seen[at - 1].at) / 1000));
    p50.push(percentile(buckets, 0.5));
    p99.push(percentile(buckets, 0.99));
  }
  draw($("requests"), [{ values: rates, name: "rate" }]);
  draw($("latency"), [{ values: p99, name: "p99" }, { values: p50, name: "p50" }]);
  $("rate").textContent = number(rates.at(-1) ?? 0);
  const last = (values) => values.at(-1) === null || values.at(-1) === undefined ? "–" : number(values.at(-1), 2);
  $("times").textContent = `${last(p50)}, ${last(p99)}`;
  const head = ["Application", "Resource", "Requests a second", "Failed (5xx) a second", "p50, ms", "p99, ms"];
  $("resources").tHead.rows[0].replaceChildren(...head.map((text) => Object.assign(document.createElement("th"), { textContent: text, scope: "col" })));
  $("since").textContent = `In the last ${number(seconds)} seconds.`;
  const rows = growth(now, first).filter((it) => it.count).sort((a, b) => b.count - a.count);
  const time = (value) => value === null ? "–" : number(value, 2);
  fill($("resources"), rows.map((it) => [it.application, it.resource, number(it.count / seconds, 1), number((it.statuses["5xx"] ?? 0) / seconds, 1),
    time(percentile(it.buckets, 0.5)), time(percentile(it.buckets, 0.99))]));
}

async function look() {
  if (!paused && !document.hidden) {
    const answer = await fetch("?as=json").catch(() => null);
    if (answer?.redirected || answer?.status === 401 || answer?.status === 403) {
      location.reload();
      return;
    }
    const now = answer?.ok ? await answer.json().catch(() => null) : null;
    $("silent").hidden = now !== null;
    if (now) {
      // A server that has begun again counts from the beginning.
      if ((now.plain.duet_requests_total ?? 0) < (seen.at(-1)?.plain.duet_requests_total ?? 0)) seen.length = 0;
      seen.push({ ...now, at: performance.now() });
      if (seen.length > KEPT) seen.shift();
      show();
    }
  }
  setTimeout(look, 1000);
}

const button = $("pause");
button.hidden = false;
button.addEventListener("click", () => {
  paused = !paused;
  button.textContent = paused ? "Go on" : "Pause";
  button.setAttribute("aria-pressed", String(paused));
});
look();
setInterval(again, 15_000);
