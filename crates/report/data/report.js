// The charts of a report: drawn from the page's data, with a crosshair, and live while a run goes on.
// No library, no request to another host; texts are set as text, never as markup.
"use strict";
(() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const TAGS = new Set(["svg", "g", "path", "line", "rect", "text"]);
  /** Steps of a time axis, in seconds. */
  const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
  /** Levels of a heatmap's colour. */
  const LEVELS = 8;
  /** After so many milliseconds without an answer a live page says that it is lost. */
  const LOST = 5000;
  /** The most rows of the box beside the pointer. */
  const ROWS = 14;

  // ---- Texts

  const digits = (value, most) => value.toLocaleString("en-US", { maximumFractionDigits: most });

  /** A number with about four digits. */
  function figure(value) {
    const size = Math.abs(value);
    if (!Number.isFinite(value)) return "n/a";
    if (size !== 0 && size < 0.001) return value.toPrecision(2);
    return digits(value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
  }

  /** A duration of microseconds with three digits. */
  function duration(micros) {
    const [value, unit] = micros >= 1e6 ? [micros / 1e6, "s"] : micros >= 1e3 ? [micros / 1e3, "ms"] : [micros, "µs"];
    return `${digits(value, value >= 100 ? 0 : value >= 10 ? 1 : 2)} ${unit}`;
  }

  /** A moment of a run that is so many seconds long. */
  function moment(seconds, length) {
    const two = (number) => String(Math.floor(number)).padStart(2, "0");
    if (length <= 180) return `${digits(seconds, 1)} s`;
    const minutes = `${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
    return length <= 3600 ? minutes : `${Math.floor(seconds / 3600)}:${minutes}`;
  }

  /** A percentile of a position on its axis, which is the number of nines. */
  function percentile(nines) {
    const share = 100 * (1 - 10 ** -nines);
    return `${digits(share, Math.max(1, Math.ceil(nines)))} %`;
  }

  const withUnit = (value, unit) => (unit === "us" ? duration(value) : `${figure(value)}${unit ? " " + unit : ""}`.replace(" /s", "/s"));

  /** A number of an axis. */
  function tick(value, unit) {
    if (unit === "us") return duration(value);
    if (Math.abs(value) >= 1e6) return `${digits(value / 1e6, 2)} M`;
    return Math.abs(value) >= 1e4 ? `${digits(value / 1e3, 1)} k` : figure(value);
  }

  // ---- Elements

  function el(tag, attributes, ...children) {
    const node = TAGS.has(tag) ? document.createElementNS(SPACE, tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  // ---- Scales

  /** 1, 2 or 5 times a power of ten, at least as large. */
  function nice(step) {
    const power = 10 ** Math.floor(Math.log10(step));
    return [1, 2, 5, 10].find((factor) => factor * power >= step * 0.999) * power;
  }

  function linear(top, most, height) {
    // An axis with a given end is divided by that, however low its values are.
    const step = nice((most ?? (top > 0 ? top : 1)) / Math.max(1, Math.min(5, Math.floor(height / 36))));
    const end = most ?? Math.max(1, Math.ceil(top / step - 1e-9)) * step;
    const ticks = [];
    for (let at = 0; at * step <= end * 1.0001; at += 1) ticks.push(at * step);
    return { share: (value) => Math.min(Math.max(value / end, 0), 1), value: (share) => share * end, ticks };
  }

  function logarithmic(least, most) {
    const [from, to] = [Math.log10(least), Math.log10(Math.max(most, least * 1.5))];
    const factors = to - from < 1.2 ? [1, 2, 3, 5] : to - from < 4.2 ? [1, 3] : [1];
    const ticks = [];
    for (let power = Math.floor(from); power <= to; power += 1) {
      for (const factor of factors) {
        const value = factor * 10 ** power;
        if (value >= least * 0.999 && value <= 10 ** to * 1.001) ticks.push(value);
      }
    }
    const share = (value) => Math.min(Math.max((Math.log10(Math.max(value, least)) - from) / (to - from), 0), 1);
    return { share, value: (part) => 10 ** (from + part * (to - from)), ticks };
  }

  // ---- One chart

  /** What readers chose, by chart: it survives the next second of a live run. */
  const chosen = new Map();
  const charts = new Map();
  let cursor = null;

  class Chart {
    constructor(host) {
      this.host = host;
      this.legend = el("div", { class: "legend", role: "group", "aria-label": "Series" });
      this.plot = el("div", { class: "plot", tabindex: "0", role: "group", "aria-roledescription": "chart" });
      this.tip = el("div", { class: "tip", hidden: true });
      this.host.replaceChildren(this.legend, this.plot);
      this.width = 0;
      new ResizeObserver(() => this.resized()).observe(this.plot);
      this.plot.addEventListener("pointermove", (event) => this.point(event));
      this.plot.addEventListener("pointerdown", (event) => this.point(event));
      this.plot.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && move(this, null));
      this.plot.addEventListener("keydown", (event) => this.key(event));
      this.plot.addEventListener("blur", () => move(this, null));
    }

    set(spec) {
      this.spec = spec;
      this.hidden = chosen.get(spec.id) ?? new Set(this.all().filter((series) => series.off).map((series) => series.name));
      chosen.set(spec.id, this.hidden);
      this.plot.setAttribute("aria-label", `${spec.title}. Arrow keys move through the values.`);
      this.drawLegend();
      this.draw();
    }

    all() {
      return this.spec.lanes.flatMap((lane) => lane.series);
    }

    shown(lane) {
      return lane.series.filter((series) => !this.hidden.has(series.name));
    }

    resized() {
      const width = this.plot.clientWidth;
      if (this.spec && width > 0 && width !== this.width) this.draw();
    }

    // -- Legend

    drawLegend() {
      const series = this.all();
      const heat = this.spec.lanes.some((lane) => lane.heat);
      const buttons = series.map((one) => {
        const swatch = el("i", { class: `key ${one.draw} ${one.colour}` });
        const button = el("button", { type: "button", "aria-pressed": String(!this.hidden.has(one.name)) }, swatch, one.name);
        button.addEventListener("click", (event) => this.toggle(one.name, event.shiftKey));
        button.title = "Click: show or hide. Shift and click: this one alone.";
        return button;
      });
      const scale = heat ? el("span", { class: "scale" }, "few ", ...Array.from({ length: LEVELS }, (_, at) => el("i", { class: `heat${at + 1}` })), " many") : null;
      // One series needs no switch: the title names it.
      this.legend.hidden = series.length < 2 && !heat;
      const focused = [...this.legend.children].indexOf(document.activeElement);
      this.legend.replaceChildren(...buttons, ...(scale ? [scale] : []));
      if (focused >= 0) this.legend.children[focused]?.focus();
    }

    toggle(name, alone) {
      const names = this.all().map((series) => series.name);
      if (alone) {
        const isAlone = names.every((other) => this.hidden.has(other) === (other !== name));
        this.hidden.clear();
        if (!isAlone) names.filter((other) => other !== name).forEach((other) => this.hidden.add(other));
      } else if (!this.hidden.delete(name)) {
        this.hidden.add(name);
      }
      this.drawLegend();
      this.draw();
    }

    // -- Drawing

    draw() {
      // A folded chart has no width until it is opened, and is printed with a usual one.
      this.width = this.plot.clientWidth || 700;
      const { spec, width } = this;
      const narrow = width < 520;
      this.lanes = spec.lanes.map((lane) => this.lane(lane, narrow));
      const labels = this.lanes.flatMap((lane) => lane.scale.ticks.map((value) => tick(value, lane.spec.unit).length));
      this.left = Math.ceil(Math.max(2, ...labels) * 6.7 + 9);
      this.inner = Math.max(40, width - this.left - 10);
      let top = 6;
      for (const lane of this.lanes) {
        if (lane.spec.name) top += 15;
        lane.top = top;
        top += lane.height + 9;
      }
      const height = top + 16;
      this.bottom = top - 9;
      const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "chart" });
      this.drawSpans(svg);
      this.lanes.forEach((lane) => this.drawLane(svg, lane));
      this.drawAxis(svg, height);
      this.cross = el("g", { class: "cross" });
      svg.append(this.cross);
      this.plot.replaceChildren(svg, this.tip);
      this.mark();
    }

    lane(spec, narrow) {
      const series = this.shown(spec).map((one) => ({ ...one, at: one.y }));
      if (spec.stack) {
        const sums = new Array(this.count()).fill(0);
        for (const one of series) {
          one.from = sums.slice();
          one.at = one.y.map((value, at) => (sums[at] += Math.max(value ?? 0, 0)));
        }
      }
      const height = Math.round(spec.size * (narrow ? 0.85 : 1));
      const known = series.flatMap((one) => one.at).filter((value) => Number.isFinite(value));
      const top = Math.max(0, ...known);
      const marks = (spec.marks ?? []).filter((mark) => mark.y <= Math.max(top * 4, 1e-9));
      const values = [...known, ...marks.map((mark) => mark.y)];
      return { spec, series, marks, height, scale: this.scale(spec, values, height) };
    }

    scale(spec, values, height) {
      if (!spec.log) return linear(Math.max(0, ...values), spec.top, height);
      const positive = values.filter((value) => value > 0);
      if (spec.heat) positive.push(spec.heat.edges[0], spec.heat.edges.at(-1));
      return logarithmic(Math.min(...positive, Infinity) === Infinity ? 1 : Math.min(...positive), Math.max(1, ...positive));
    }

    count() {
      const { x } = this.spec;
      return x.values ? x.values.length : x.count;
    }

    /** The value of the x axis in the middle of a column. */
    place(at) {
      const { x } = this.spec;
      return x.values ? x.values[at] : x.from + (at + 0.5) * x.step;
    }

    range() {
      const { x } = this.spec;
      if (!x.values) return [x.from, x.from + x.count * x.step];
      const [first, last] = [x.values[0], x.values.at(-1)];
      return [first, last > first ? last : first + 1];
    }

    x(value) {
      const [first, last] = this.range();
      return this.left + ((value - first) / (last - first)) * this.inner;
    }

    y(lane, value) {
      return lane.top + lane.height * (1 - lane.scale.share(value));
    }

    drawSpans(svg) {
      let free = 0;
      for (const span of this.spec.spans ?? []) {
        const [from, to] = [this.x(span.from), this.x(span.to)];
        svg.append(el("rect", { class: span.silent ? "span silent" : "span", x: from, y: this.lanes[0].top, width: Math.max(0, to - from), height: this.bottom - this.lanes[0].top }));
        const room = span.name.length * 5.8 + 8;
        if (this.inner >= 600 && to - from >= room && from >= free) {
          svg.append(el("text", { class: "of-span", x: from + 4, y: this.lanes[0].top + 12 }, span.name));
          free = from + room;
        }
      }
    }

    drawLane(svg, lane) {
      const { spec, scale } = lane;
      const right = this.left + this.inner;
      if (spec.name) svg.append(el("text", { class: "of-lane", x: this.left, y: lane.top - 5 }, spec.name));
      for (const value of scale.ticks) {
        const y = this.y(lane, value);
        svg.append(el("line", { class: "grid", x1: this.left, x2: right, y1: y, y2: y }));
        svg.append(el("text", { x: this.left - 6, y: y + 4, "text-anchor": "end" }, tick(value, spec.unit)));
      }
      if (spec.heat) this.drawHeat(svg, lane);
      for (const one of spec.stack ? [...lane.series].reverse() : lane.series) this.drawSeries(svg, lane, one);
      let last = Infinity;
      for (const mark of lane.marks.toSorted((a, b) => b.y - a.y)) {
        const y = this.y(lane, mark.y);
        svg.append(el("line", { class: "mark", x1: this.left, x2: right, y1: y, y2: y }));
        if (Math.abs(last - y) > 12) svg.append(el("text", { class: "of-mark", x: right - 4, y: y - 4 < lane.top + 8 ? y + 13 : y - 4, "text-anchor": "end" }, mark.name));
        last = y;
      }
    }

    /** A path for each level of colour; neighbours of one level are one rectangle. */
    drawHeat(svg, lane) {
      const { edges, cells } = lane.spec.heat;
      const most = Math.max(1, ...cells.flatMap((cell) => cell.slice(1)));
      const level = (count) => (count > 0 ? 1 + Math.floor((LEVELS - 0.001) * (Math.log1p(count) / Math.log1p(most + 1e-9))) : 0);
      const at = (column, row) => {
        const place = row - cells[column][0];
        return place >= 0 && place < cells[column].length - 1 ? Math.min(LEVELS, level(cells[column][1 + place])) : 0;
      };
      const paths = Array.from({ length: LEVELS + 1 }, () => []);
      const step = this.inner / cells.length;
      for (let row = 0; row + 1 < edges.length; row += 1) {
        const [low, high] = [this.y(lane, edges[row]), this.y(lane, edges[row + 1])];
        for (let from = 0, to = 0; from < cells.length; from = to) {
          const value = at(from, row);
          for (to = from + 1; to < cells.length && at(to, row) === value; ) to += 1;
          if (value > 0) paths[value].push(`M${(this.left + from * step).toFixed(1)} ${low.toFixed(1)}H${(this.left + to * step).toFixed(1)}V${high.toFixed(1)}H${(this.left + from * step).toFixed(1)}Z`);
        }
      }
      paths.forEach((path, value) => path.length && svg.append(el("path", { class: `heat heat${value}`, d: path.join("") })));
    }

    drawSeries(svg, lane, one) {
      const base = lane.top + lane.height;
      const point = (at) => [this.x(this.place(at)), this.y(lane, one.at[at])];
      if (one.draw === "bars") {
        const width = Math.max(1, (this.inner / this.count()) * 0.8);
        const bars = one.at.map((value, at) => (value > 0 ? `M${(point(at)[0] - width / 2).toFixed(1)} ${base}V${Math.min(point(at)[1], base - 1.5).toFixed(1)}h${width.toFixed(1)}V${base}Z` : "")).join("");
        svg.append(el("path", { class: `bars ${one.colour}`, d: bars }));
        return;
      }
      if (one.draw === "dots") {
        const dots = one.at.map((value, at) => (Number.isFinite(value) ? `M${point(at).map((place) => place.toFixed(1)).join(" ")}h0` : "")).join("");
        svg.append(el("path", { class: `dots ${one.colour}`, d: dots }));
        return;
      }
      const runs = [];
      let run = null;
      one.at.forEach((value, at) => {
        if (Number.isFinite(value)) (run ??= (runs.push([]), runs.at(-1))).push(at);
        else if (!one.join) run = null;
      });
      const edge = (this.inner / this.count()) / 2;
      const line = runs.map((places) => this.line(places, point, one.draw === "step" || places.length === 1 ? edge : 0)).join("");
      if (lane.spec.stack || one.draw === "area") {
        const area = runs.map((places) => {
          const back = places.toReversed().map((at) => `L${this.x(this.place(at)).toFixed(1)} ${(one.from ? this.y(lane, one.from[at]) : base).toFixed(1)}`);
          return `${this.line(places, point, 0)}${back.join("")}Z`;
        });
        svg.append(el("path", { class: `area ${lane.spec.stack ? "stacked" : ""} ${one.colour}`, d: area.join("") }));
      }
      if (lane.spec.heat) svg.append(el("path", { class: "halo", d: line }));
      const dash = one.draw === "dashed" || one.draw === "dotted" ? one.draw : "";
      svg.append(el("path", { class: `line ${dash} ${one.colour}`, d: line }));
    }

    /** A path through points; with `edge` each is as wide as its column. */
    line(places, point, edge) {
      return places.map((at, index) => {
        const [x, y] = point(at);
        const letter = index ? "L" : "M";
        return edge ? `${letter}${(x - edge).toFixed(1)} ${y.toFixed(1)}H${(x + edge).toFixed(1)}` : `${letter}${x.toFixed(1)} ${y.toFixed(1)}`;
      }).join("");
    }

    drawAxis(svg, height) {
      const text = (x, words) => {
        const place = this.x(x);
        const half = words.length * 3.4;
        const kept = Math.min(Math.max(place, this.left + half - 6), this.left + this.inner - half + 8);
        svg.append(el("text", { x: kept, y: height - 4, "text-anchor": "middle" }, words));
      };
      this.axis().forEach(([x, words]) => text(x, words));
    }

    axis() {
      const [first, last] = this.range();
      const { kind, unit } = this.spec.x;
      const room = Math.max(2, Math.floor(this.inner / 76));
      if (kind === "nines") {
        const all = [0, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 0.99999, 0.999999].map((share) => -Math.log10(1 - share));
        let free = -Infinity;
        return all.filter((x) => x <= last + 1e-9).map((x) => [x, percentile(x)]).filter(([x]) => {
          const fits = this.x(x) >= free;
          if (fits) free = this.x(x) + 58;
          return fits;
        });
      }
      if (kind === "named") {
        let free = -Infinity;
        return this.spec.x.names.map((name, at) => [at, name]).filter(([x, name]) => {
          const fits = this.x(x) >= free;
          if (fits) free = this.x(x) + name.length * 6.8 + 12;
          return fits;
        });
      }
      const step = kind === "time" ? STEPS.find((it) => (last - first) / it <= room) ?? 86400 : nice((last - first) / room);
      const marks = [];
      for (let at = Math.ceil(first / step) * step; at <= last + 1e-9; at += step) {
        marks.push([at, kind === "time" ? moment(at, last) : withUnit(at, unit)]);
      }
      return marks;
    }

    // -- Crosshair

    nearest(value) {
      const { x } = this.spec;
      if (!x.values) return Math.min(Math.max(Math.floor((value - x.from) / x.step), 0), x.count - 1);
      let best = 0;
      x.values.forEach((other, at) => {
        if (Math.abs(other - value) < Math.abs(x.values[best] - value)) best = at;
      });
      return best;
    }

    point(event) {
      const box = this.plot.getBoundingClientRect();
      const [first, last] = this.range();
      const value = first + ((event.clientX - box.left - this.left) / this.inner) * (last - first);
      this.pointer = event.clientY - box.top;
      move(this, this.nearest(value));
    }

    key(event) {
      const last = this.count() - 1;
      const now = cursor?.chart === this ? cursor.at : null;
      const leap = Math.max(1, Math.round(last / 10));
      const steps = { ArrowLeft: event.shiftKey ? -10 : -1, ArrowRight: event.shiftKey ? 10 : 1, PageUp: -leap, PageDown: leap };
      let to;
      if (event.key === "Home") to = 0;
      else if (event.key === "End") to = last;
      else if (event.key === "Escape") to = null;
      else if (event.key in steps) to = now === null ? (steps[event.key] > 0 ? 0 : last) : now + steps[event.key];
      else return;
      event.preventDefault();
      this.pointer = null;
      move(this, to === null ? null : Math.min(Math.max(to, 0), last));
      if (to !== null) readout.textContent = [this.heading(cursor.at), ...this.rows(cursor.at).map((row) => `${row.name} ${row.text}`)].join(", ");
    }

    heading(at) {
      const { x } = this.spec;
      if (x.kind === "nines") return percentile(x.values[at]);
      if (x.kind === "named") return x.names[at];
      if (x.kind !== "time") return withUnit(x.values[at], x.unit);
      const [, last] = this.range();
      const from = x.from + at * x.step;
      const span = this.spec.spans?.find((one) => from >= one.from && from < one.to);
      const words = x.step > 1 ? `${moment(from, last)} to ${moment(from + x.step, last)}` : moment(from, last);
      return span?.name ? `${words} · ${span.name}` : words;
    }

    rows(at) {
      const rows = [];
      for (const lane of this.lanes) {
        const known = lane.series.filter((one) => Number.isFinite(one.y[at]));
        const own = known.map((one) => ({ colour: one.colour, draw: one.draw, name: one.name, value: one.y[at], text: withUnit(one.y[at], lane.spec.unit) + (one.notes?.[at] ? ` (${one.notes[at]})` : "") }));
        if (lane.spec.stack) {
          own.reverse();
          if (own.length > 1) own.unshift({ name: "together", text: withUnit(own.reduce((sum, row) => sum + row.value, 0), lane.spec.unit) });
        }
        rows.push(...own);
        const cell = lane.spec.heat && this.cell(lane, at);
        if (cell) rows.push(cell);
      }
      if (rows.length <= ROWS) return rows;
      return [...rows.slice(0, ROWS), { name: `and ${rows.length - ROWS} more`, text: "" }];
    }

    /** The transactions of the cell below the pointer. */
    cell(lane, at) {
      if (this.pointer === null || this.pointer === undefined) return null;
      const { edges, cells } = lane.spec.heat;
      const value = lane.scale.value(1 - (this.pointer - lane.top) / lane.height);
      const row = edges.findIndex((edge, place) => value >= edge && value < edges[place + 1]);
      const count = row < 0 ? undefined : cells[at][1 + row - cells[at][0]];
      return count && row >= cells[at][0] ? { name: `${duration(edges[row])} to ${duration(edges[row + 1])}`, text: `${figure(count)} transactions` } : null;
    }

    /** Draws the crosshair where the cursor is; only one chart shows values beside the pointer. */
    mark() {
      const follows = cursor && (cursor.chart === this || (cursor.time !== null && this.spec.x.kind === "time"));
      this.cross.replaceChildren();
      this.tip.hidden = true;
      if (!follows) return;
      const at = cursor.chart === this ? Math.min(cursor.at, this.count() - 1) : this.nearest(cursor.time);
      const [first, last] = this.range();
      if (cursor.chart !== this && (cursor.time < first || cursor.time > last)) return;
      const x = this.x(this.place(at));
      this.cross.append(el("line", { x1: x, x2: x, y1: this.lanes[0].top, y2: this.bottom }));
      for (const lane of this.lanes) {
        for (const one of lane.series) {
          if (Number.isFinite(one.at[at]) && one.draw !== "bars") this.cross.append(el("path", { class: `dots ${one.colour}`, d: `M${x} ${this.y(lane, one.at[at])}h0` }));
        }
      }
      if (cursor.chart === this) this.fillTip(x, at);
    }

    fillTip(x, at) {
      const rows = this.rows(at).map((row) => el("div", {}, el("i", { class: row.colour ? `key ${row.draw} ${row.colour}` : "key none" }), el("span", {}, row.name), el("b", {}, row.text)));
      this.tip.replaceChildren(el("strong", {}, this.heading(at)), ...rows);
      this.tip.hidden = false;
      const [own, all] = [this.tip.offsetWidth, this.plot.clientWidth];
      const left = x + 14 + own <= all ? x + 14 : x - 14 - own;
      this.tip.style.left = `${Math.min(Math.max(left, 0), Math.max(0, all - own))}px`;
      this.tip.style.top = `${this.lanes[0].top + 2}px`;
    }
  }

  /** Moves the cursor of a chart; charts over time share it. */
  function move(chart, at) {
    cursor = at === null ? null : { chart, at, time: chart.spec.x.kind === "time" ? chart.place(at) : null };
    charts.forEach((one) => one.mark());
  }

  // ---- The page

  const readout = el("p", { class: "unseen", role: "status" });

  /** Draws the charts of the page's data. */
  function show(specs) {
    const known = new Map(specs.map((spec) => [spec.id, spec]));
    for (const host of document.querySelectorAll("[data-chart]")) {
      const spec = known.get(host.dataset.chart);
      if (!spec) continue;
      let chart = charts.get(spec.id);
      if (!chart || chart.host !== host) charts.set(spec.id, (chart = new Chart(host)));
      chart.set(spec);
    }
  }

  const data = (root) => JSON.parse(root.querySelector("#chart-data")?.textContent || "[]");

  /** Takes the parts of a page that have changed; charts keep their places. */
  function renew(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    for (const part of page.querySelectorAll("[data-part]")) {
      const own = document.getElementById(part.id);
      if (!own) continue;
      // What scripts have drawn is not part of the comparison.
      if (own.source === undefined || own.source !== part.innerHTML) {
        const titles = (which) => new Set([...own.querySelectorAll(`${which} > summary`)].map((it) => it.firstChild.textContent));
        const [open, closed] = [titles("details[open]"), titles("details:not([open])")];
        const source = part.innerHTML;
        own.replaceChildren(...part.childNodes);
        own.source = source;
        for (const fold of own.querySelectorAll("details")) {
          const title = fold.querySelector("summary").firstChild.textContent;
          if (open.has(title)) fold.open = true;
          if (closed.has(title)) fold.open = false;
        }
      }
    }
    document.title = page.title;
    show(data(page));
  }

  /** A server may end each answer, and is then asked again: it is lost if it has not answered for a while. */
  function follow(address) {
    const events = new EventSource(address);
    const state = document.getElementById("live");
    let waiting;
    const heard = () => {
      clearTimeout(waiting);
      state.className = "live";
    };
    events.addEventListener("page", (event) => {
      heard();
      renew(JSON.parse(event.data));
    });
    events.addEventListener("end", (event) => {
      heard();
      events.close();
      state.textContent = JSON.parse(event.data);
      state.className = "live ended";
      document.dispatchEvent(new Event("ended"));
    });
    events.onerror = () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => (state.className = "live lost"), events.readyState === EventSource.CLOSED ? 0 : LOST);
    };
    events.onopen = heard;
  }

  document.body.append(readout);
  show(data(document));
  addEventListener("beforeprint", () => charts.forEach((chart) => chart.draw()));
  if (document.body.dataset.live) follow(document.body.dataset.live);
})();
