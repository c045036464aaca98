// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// The charts of the last minutes and hours, and the miss-ratio curve.

// Over time

const together = [];
const timeAxis = {
  value: (point) => point.end, ticks: timeTicks, format: (tick) => (tick % 60 === 0 ? shortClock(tick) : clock(tick)), describe: clock,
};

const charts = {
  ratio: chart(byId("ratioChart"), {
    title: "Hit ratio", empty: "No requests yet. Send one to the proxy, and the line begins.", group: together, x: timeAxis,
    y: { maximum: 1, format: (ratio) => `${Math.round(ratio * 100)}${gap}%` },
    series: [{ name: "answered from the cache", tone: "asHit", area: true, value: hitRatio, format: percent, showsZero: true }],
  }),
  requests: chart(byId("requestsChart"), {
    title: "Requests", empty: "No requests in this time.", group: together, x: timeAxis, y: { format: (value) => count(value) },
    series: [
      { name: "all", tone: "asMiss", area: true, value: (p) => p.requests / p.seconds, low: (p) => p.hits / p.seconds, format: rate },
      { name: "hits", tone: "asHit", area: true, value: (p) => p.hits / p.seconds, format: rate },
      { name: "errors", tone: "asBad", dashed: true, value: (p) => p.errors / p.seconds, format: rate },
    ],
  }),
  latency: chart(byId("latencyChart"), {
    title: "Latency", empty: "No requests in this time.", group: together, x: timeAxis, y: { logarithmic: true, format: roundDuration },
    series: [
      { name: "p99", tone: "asMiss", area: true, value: (p) => (p.requests ? p.p99 : null), low: (p) => p.p50, format: duration },
      { name: "p50", tone: "asHit", value: (p) => (p.requests ? p.p50 : null), format: duration },
    ],
  }),
  bytes: chart(byId("bytesChart"), {
    title: "Bytes", empty: "Nothing was sent in this time.", group: together, x: timeAxis, y: { format: roundBytes },
    series: [
      { name: "served", tone: "asHit", area: true, value: (p) => p.bytes / p.seconds, format: byteRate },
      { name: "from the origin", tone: "asMiss", dashed: true, value: (p) => p.bytesFromOrigin / p.seconds, format: byteRate },
    ],
  }),
};

function roundDuration(value) { return trimmed(duration(value)); }
function roundBytes(value) { return trimmed(bytes(value)); }

function showCharts(state) {
  const length = state.range === "history" ? 900 : 86400;
  // The newest window is still open. In its first moments it says little.
  const points = state[state.range].filter(({ time, seconds }) => time > state.time - length && seconds >= 1);
  const from = Math.min(points[0]?.end ?? state.time, state.time - (state.range === "history" ? 60 : 3600));
  for (const each of together) each.update(points, [from, Math.max(state.time, points.at(-1)?.end ?? 0)]);
  const details = byId("historyRows");
  if (details.closest("details").open && !isBusy(details.closest(".scroll"))) showHistory(details, points);
}

const historyRow = () => make("tr", {}, make("th", { scope: "row" }), ...Array.from({ length: 7 }, () => make("td")));

function showHistory(rows, points) {
  fill(rows, points.slice().reverse(), historyRow, (row, point) => {
    const values = [clock(point.end), percent(hitRatio(point)), exact(point.requests), exact(point.errors),
      ...[point.p50, point.p99].map((time) => (point.requests ? duration(time) : "–")), bytes(point.bytes), bytes(point.bytesFromOrigin)];
    values.forEach((value, index) => say(row.children[index], value));
  });
}

// The miss ratio that a cache of another size would have.

const byteTicks = (from, to, width) => {
  const ticks = [];
  for (let power = 1; power < to; power *= 10) ticks.push(power, 2 * power, 5 * power);
  const inside = ticks.filter((tick) => tick >= from && tick <= to);
  const room = Math.max(2, Math.floor(width / 64));
  return inside.length <= room ? inside : inside.filter((tick) => Math.log10(tick) % 1 === 0);
};

const curve = { points: [], size: 0 };
const isNow = (point) => point.bytes === curve.size;
const missChart = chart(byId("missChart"), {
  title: "Miss ratio by size of the cache", rest: () => `with ${bytes(curve.size)}`, resting: () => curve.points.findIndex(isNow),
  empty: "The curve is drawn from how much else is asked for until a URL is asked for again. It needs some requests.",
  x: { value: (point) => point.bytes, ticks: byteTicks, format: roundBytes, describe: (size) => `with ${bytes(size)}`, logarithmic: true },
  y: { format: (ratio) => `${trimmed(places[1].format(ratio * 100))}${gap}%` },
  series: [{ name: "would miss", tone: "asMiss", area: true, value: (point) => point.missRatio, format: percent, showsZero: true }],
  decorate: drawMarks,
});

const sizes = [["½×", "Half", 0.5], ["now", "As it is", 1], ["2×", "Twice", 2]];

function drawMarks(svg, { x, y, space }) {
  for (const [name, , factor] of sizes) {
    const size = curve.size * factor;
    const here = x(size);
    if (!(here >= space.left && here <= space.right)) continue;
    svg.append(draw("line", { class: `mark${factor === 1 ? " current" : ""}`, x1: here, x2: here, y1: space.top + 12, y2: space.bottom }),
      draw("text", { class: "markText", x: here, y: space.top + 6, "text-anchor": "middle" }, name),
      draw("circle", { class: "point asMiss", cx: here, cy: y(missAt(size)), r: factor === 1 ? 6 : 4.5 }));
  }
}

// The curve between its points; beyond the last one it stays as it is.
function missAt(size) {
  const after = curve.points.findIndex((point) => point.bytes >= size);
  if (after < 0) return curve.points.at(-1)?.missRatio ?? 1;
  const right = curve.points[after];
  const left = curve.points[after - 1] ?? { bytes: 0, missRatio: 1 };
  return left.missRatio + ((right.missRatio - left.missRatio) * (size - left.bytes)) / (right.bytes - left.bytes || 1);
}

function showWhatIf(state) {
  curve.size = at(state.now, "missRatioCurve.currentBytes");
  curve.points = at(state.now, "missRatioCurve.points", []).map(readSize).sort((one, other) => one.bytes - other.bytes);
  const isKnown = curve.points.length > 1 && curve.size > 0;
  if (isKnown) curve.points = pointsToShow();
  missChart.update(isKnown ? curve.points : [], isKnown ? [curve.points[0].bytes, curve.points.at(-1).bytes] : [1, 10]);
  byId("whatIfTable").hidden = !isKnown;
  say(byId("whatIfSentence"), isKnown ? sentence(state) : "Too few requests yet to say what another size would change.");
  if (isKnown) showSizes(requestRate(state));
  say(byId("whatIfNote"), isKnown ? basis(state) : "");
}

function basis(state) {
  const sampled = exact(at(state.now, "missRatioCurve.sampledRequests"));
  const share = percent(at(state.now, "missRatioCurve.sampleRate"));
  const missed = percent(at(state.now, "missRatioCurve.currentMissRatio"));
  return `Estimated for a cache that evicts the least recently used, from ${sampled} requests for ${share} of the URLs. `
    + `In fact ${missed} miss now.`;
}

const readSize = (point) => ({ bytes: at(point, "bytes"), missRatio: at(point, "missRatio") });

// The part of the curve around the size that the cache has, with points exactly where the marks are.
function pointsToShow() {
  const [first, last] = [curve.points[0].bytes, curve.points.at(-1).bytes];
  // Where the cache holds all that is asked for, the curve falls far to the left of its size.
  const low = Math.max(first, Math.min(curve.size / 32, last / 8), curve.size / 1000, 1);
  const ends = [Math.min(low, curve.size / 3), Math.max(Math.min(last, curve.size * 16), curve.size * 3)];
  const inside = curve.points.map((point) => point.bytes).filter((size) => size > ends[0] && size < ends[1]);
  const shown = new Set([...ends, ...inside, ...sizes.map(([, , factor]) => curve.size * factor)]);
  return [...shown].sort((one, other) => one - other).map((size) => ({ bytes: size, missRatio: missAt(size) }));
}

function requestRate(state) {
  const recent = total(state.history, 300);
  return recent.requests / Math.max(recent.seconds, 1);
}

function sentence(state) {
  const [half, now, twice] = sizes.map(([, , factor]) => missAt(curve.size * factor));
  const perSecond = requestRate(state);
  const spared = (now - twice) * perSecond;
  const [double, halved] = [bytes(curve.size * 2), bytes(curve.size / 2)];
  const fewer = spared >= 0.05 ? `: about ${joined(rateParts(spared))} requests a second fewer for the origin.` : ".";
  const more = now - twice < 0.0005 ? `Twice the size, ${double}, would change next to nothing: ${percent(now)} of requests miss either way.`
    : `With twice the size, ${double}, ${percent(twice)} of requests would miss instead of ${percent(now)}${fewer}`;
  const less = half - now < 0.0005 ? `Half of it, ${halved}, would do as well.` : `With half, ${halved}, it would be ${percent(half)}.`;
  return `${more} ${less}`;
}

function showSizes(perSecond) {
  const row = ([, title]) => make("tr", {}, make("th", { scope: "row" }, title), make("td"), make("td"), make("td"));
  fill(byId("whatIfRows"), sizes, row, (each, [, , factor]) => {
    const miss = missAt(curve.size * factor);
    each.classList.toggle("current", factor === 1);
    [bytes(curve.size * factor), percent(miss), rate(miss * perSecond)].forEach((text, index) => say(each.children[index + 1], text));
  });
}

// Caches that are simulated beside this one.

const shadowRow = () => make("tr", {}, make("th", { scope: "row" }), make("td"), make("td"), make("td"));

function showShadows(state) {
  const caches = at(state.now, "shadows.caches", []);
  byId("shadows").hidden = caches.length === 0;
  const requests = at(state.now, "shadows.requests");
  const real = { name: "this cache", size: at(state.now, "memory.limit"), hits: at(state.now, "shadows.hits") };
  const others = caches.map((cache) => ({ name: at(cache, "policy", ""), size: at(cache, "bytes"), hits: at(cache, "hits") }));
  fill(byId("shadowRows"), [real, ...others], shadowRow, (row, { name, size, hits }, index) => {
    row.classList.toggle("current", index === 0);
    const points = ((hits - real.hits) / requests) * 100;
    const difference = index === 0 || !requests ? "–" : `${points < 0 ? "−" : "+"}${places[2].format(Math.abs(points))} points`;
    [name, bytes(size), requests ? percent(hits / requests) : "–", difference].forEach((text, cell) => say(row.children[cell], text));
  });
  say(byId("shadowNote"), shadowBasis(state, requests));
}

function shadowBasis(state, requests) {
  const share = percent(at(state.now, "shadows.sampledShare"));
  const others = at(state.now, "shadows.otherHits");
  const lost = at(state.now, "shadows.lost");
  return `Fresh answers from memory, of ${exact(requests)} requests for ${share} of the URLs.`
    + (others > 0 ? ` ${exact(others)} more were answered from a store, or stale.` : "")
    + (lost > 0 ? ` ${exact(lost)} accesses came too fast to be replayed.` : "");
}
