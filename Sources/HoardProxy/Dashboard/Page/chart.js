// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Charts of lines and areas. The one that has the pointer or the focus has a cursor, which charts of the same times share.

// Scales

function niceStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough * 0.999);
}

function linearScale(maximum, room) {
  const step = niceStep(Math.max(maximum, 1e-9) / 3);
  const top = Math.max(step, Math.ceil(maximum / step - 1e-9) * step);
  const ticks = [];
  for (let tick = 0; tick <= top * 1.001; tick += step) ticks.push(tick);
  return { place: (value) => (value / top) * room, ticks };
}

function logScale(minimum, maximum, room) {
  let low = Math.floor(Math.log10(minimum));
  const high = Math.max(Math.ceil(Math.log10(maximum)), low + 2);
  const every = Math.ceil((high - low) / 4);
  low = high - Math.ceil((high - low) / every) * every;
  const ticks = [];
  for (let power = low; power <= high; power += every) ticks.push(10 ** power);
  return { place: (value) => ((Math.log10(Math.max(value, 10 ** low)) - low) / (high - low)) * room, ticks };
}

function timeTicks(from, to, width) {
  const steps = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600];
  const step = steps.find((length) => ((to - from) / length) * 74 <= width) ?? 43200;
  const offset = new Date(to * 1000).getTimezoneOffset() * 60;
  const ticks = [];
  for (let tick = Math.ceil((from - offset) / step) * step + offset; tick <= to; tick += step) ticks.push(tick);
  return ticks;
}

// Lines. A point without a value ends one piece and begins another.

function pieces(points) {
  const found = [[]];
  for (const point of points) {
    if (point) found.at(-1).push(point);
    else if (found.at(-1).length > 0) found.push([]);
  }
  return found.filter((piece) => piece.length > 0);
}

const route = (piece) => piece.map(({ x, y }, index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
const back = (piece) => piece.slice().reverse().map(({ x, low }) => `L${x.toFixed(1)} ${low.toFixed(1)}`).join("");

function drawSeries(svg, series, places) {
  for (const piece of pieces(places)) {
    if (series.area) svg.append(draw("path", { class: `area ${series.tone}`, d: `${route(piece)}${back(piece)}Z` }));
    const kind = `line ${series.tone}${series.dashed ? " dashed" : ""}`;
    if (piece.length > 1) svg.append(draw("path", { class: kind, d: route(piece) }));
    else svg.append(draw("circle", { class: `fill ${series.tone}`, cx: piece[0].x, cy: piece[0].y, r: 2 }));
  }
}

const swatchLine = (series) => draw("svg", { width: 18, height: 10, "aria-hidden": "true" },
  series.area ? draw("rect", { class: `area ${series.tone}`, width: 18, height: 10 }) : null,
  draw("path", { class: `line ${series.tone}${series.dashed ? " dashed" : ""}`, d: series.area ? "M0 1H18" : "M1 5H17" }));

// A chart in the figure. Its options:
// - title, empty (what is said instead of a chart without values),
// - resting() (the index of the point whose values are told without a cursor, by default the last), rest() (what it is called),
// - series: [{name, tone, area, dashed, value(point), low(point), told(point), format(value), showsZero}],
// - x: {value(point), ticks(from, to, width), format(tick), describe(value), logarithmic}, y: {format(tick), logarithmic, maximum},
// - group: the charts that share the cursor; decorate(svg, places) draws more.
function chart(figure, options) {
  const { series, group = [] } = options;
  const title = make("h3", {}, options.title);
  const when = make("span", { class: "when" });
  const legend = make("ul", { class: "legend" });
  const values = series.map((each) => {
    const value = make("strong");
    legend.append(make("li", {}, swatchLine(each), each.name, value));
    return value;
  });
  const plot = make("div", { class: "plot", tabindex: 0, role: "slider", "aria-label": options.title, "aria-valuemin": 0 });
  figure.append(make("figcaption", {}, title, when, legend), plot);
  const self = { points: [], domain: [0, 1], index: null, show, update };
  group.push(self);

  const room = () => ({ left: 48, right: plot.clientWidth - 6, top: 8, bottom: plot.clientHeight - 20 });
  const across = (value, { left, right }) => {
    const warp = options.x.logarithmic ? Math.log : (x) => x;
    const [from, to] = self.domain.map(warp);
    return left + ((warp(value) - from) / (to - from || 1)) * (right - left);
  };

  function upScale(height) {
    const all = self.points.flatMap((point) => series.map((each) => each.value(point))).filter((value) => value > 0);
    if (options.y.logarithmic) return logScale(Math.min(...all), Math.max(...all), height);
    return linearScale(options.y.maximum ?? Math.max(...all, 0), height);
  }

  function render() {
    const space = room();
    const isEmpty = !self.points.some((point) => series.some((each) => each.value(point) > 0 || (each.showsZero && each.value(point) === 0)));
    plot.replaceChildren();
    plot.classList.toggle("isEmpty", isEmpty);
    if (isEmpty || space.right < space.left) {
      plot.append(make("p", { class: "nothing" }, options.empty));
      return;
    }
    const svg = draw("svg", { "aria-hidden": "true" });
    const up = upScale(space.bottom - space.top);
    const y = (value) => space.bottom - up.place(value);
    self.places = { x: (value) => across(value, space), y, space };
    drawAxes(svg, up, self.places);
    for (const each of series) {
      drawSeries(svg, each, self.points.map((point) => {
        const value = each.value(point);
        if (value == null || (options.y.logarithmic && value <= 0)) return null;
        return { x: self.places.x(options.x.value(point)), y: y(value), low: each.low ? y(each.low(point)) : space.bottom };
      }));
    }
    options.decorate?.(svg, self.places);
    self.cursorLayer = svg.appendChild(draw("g"));
    plot.append(svg);
    drawCursor();
  }

  function drawAxes(svg, up, { x, y, space }) {
    for (const tick of up.ticks) {
      svg.append(draw("line", { class: "gridline", x1: space.left, x2: space.right, y1: Math.round(y(tick)), y2: Math.round(y(tick)) }),
        draw("text", { x: space.left - 7, y: y(tick) + 4, "text-anchor": "end" }, options.y.format(tick)));
    }
    for (const tick of options.x.ticks(...self.domain, space.right - space.left)) {
      const near = Math.min(Math.max(x(tick), space.left), space.right);
      const anchor = near > space.right - 20 ? "end" : near < space.left + 14 ? "start" : "middle";
      svg.append(draw("text", { x: near, y: space.bottom + 15, "text-anchor": anchor }, options.x.format(tick)));
    }
  }

  // The point whose values are told while there is no cursor.
  const resting = () => options.resting?.() ?? self.points.length - 1;

  function tell(each, point) {
    const value = (each.told ?? each.value)(point);
    return value == null ? "–" : each.format(value);
  }

  function drawCursor() {
    const point = self.points[self.index];
    const shown = point ?? self.points[resting()];
    series.forEach((each, index) => say(values[index], shown ? tell(each, shown) : "–"));
    say(when, point ? options.x.describe(options.x.value(point)) : options.rest?.() ?? "");
    self.cursorLayer?.replaceChildren();
    if (!point || !self.cursorLayer || !self.places) return;
    const { x, y, space } = self.places;
    const here = x(options.x.value(point));
    self.cursorLayer.append(draw("line", { class: "cursor", x1: here, x2: here, y1: space.top, y2: space.bottom }));
    for (const each of series) {
      const value = each.value(point);
      if (value > 0 || (value === 0 && !options.y.logarithmic)) {
        self.cursorLayer.append(draw("circle", { class: `point ${each.tone}`, cx: here, cy: y(value), r: 4.5 }));
      }
    }
  }

  // Puts the cursor on the point nearest to the value, or takes it away.
  function show(value) {
    self.index = value == null ? null : nearest(value);
    drawCursor();
  }

  const nearest = (value, place = (x) => x) => {
    const distances = self.points.map((point) => Math.abs(place(options.x.value(point)) - value));
    return distances.length > 0 ? distances.indexOf(Math.min(...distances)) : null;
  };

  function move(index) {
    const point = self.points[index];
    const value = point ? options.x.value(point) : null;
    for (const each of group) each.show(value);
    describe();
  }

  // The text for screen readers. Not told again with each second: only when the cursor moves.
  function describe() {
    const index = self.index ?? resting();
    const point = self.points[index];
    plot.setAttribute("aria-valuemax", Math.max(0, self.points.length - 1));
    plot.setAttribute("aria-valuenow", Math.max(0, index));
    const parts = point ? series.map((each, order) => `${each.name} ${values[order].textContent}`) : [options.empty];
    plot.setAttribute("aria-valuetext", (point ? [options.x.describe(options.x.value(point)), ...parts] : parts).join(", "));
  }

  function update(points, domain) {
    const value = self.index === null ? null : options.x.value(self.points[self.index]);
    self.points = points;
    self.domain = domain;
    self.index = value === null ? null : nearest(value);
    render();
    if (document.activeElement !== plot) describe();
  }

  function follow(event) {
    if (self.places) move(nearest(event.clientX - plot.getBoundingClientRect().left, self.places.x));
  }

  function press(event) {
    const last = self.points.length - 1;
    const index = self.index ?? resting();
    const target = { ArrowLeft: index - 1, ArrowDown: index - 1, ArrowRight: index + 1, ArrowUp: index + 1, PageDown: index - 10,
      PageUp: index + 10, Home: 0, End: last, Escape: null }[event.key];
    if (target === undefined || last < 0) return;
    event.preventDefault();
    move(target === null ? null : Math.min(Math.max(target, 0), last));
  }

  build(plot, { pointermove: follow, pointerdown: follow, pointerleave: () => move(null), keydown: press, blur: () => move(null) }, []);
  new ResizeObserver(render).observe(plot);
  return self;
}
