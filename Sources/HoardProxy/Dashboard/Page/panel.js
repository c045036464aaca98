// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// The last minute, outcomes, latency by tier, sizes, evictions, origins, rankings.

// The last minute

const setParts = (element, [number, unit], suffix = "") => {
  say(element.firstChild, number);
  say(element.lastChild, number === "–" ? "" : unit + suffix);
};

const tiles = Object.fromEntries(["Hit ratio", "Requests", "Served", "Saved", "Latency, p99", "Errors"].map((title) => {
  const value = make("dd", { class: "value" }, make("span", {}, "–"), make("small"));
  const note = make("dd", { class: "note" }, "\u00a0");
  const tile = make("div", {}, make("dt", {}, title), value, note);
  byId("tiles").append(tile);
  return [title, { tile, value, note }];
}));

function showTile(title, parts, suffix, note) {
  setParts(tiles[title].value, parts, suffix);
  say(tiles[title].note, note);
}

function showTiles(state) {
  const minute = total(state.history, 60);
  const requests = at(state.now, "requests.total");
  const hits = hitOutcomes.reduce((sum, { key }) => sum + at(state.now, `requests.byOutcome.${key}`), 0);
  const perSecond = (value) => value / Math.max(minute.seconds, 1);
  const served = at(state.now, "bytes.served");
  const saved = at(state.now, "bytes.saved");
  const isIdle = minute.requests === 0;
  showTile("Hit ratio", percentParts(hitRatio(minute)), "", requests ? `${percent(hits / requests)} since the start` : "No requests yet");
  showTile("Requests", rateParts(perSecond(minute.requests)), "/s", `${count(requests)} since the start`);
  showTile("Served", byteParts(perSecond(minute.bytes)), "/s", `${bytes(served)} since the start`);
  const share = minute.bytes > 0 ? Math.max(0, 1 - minute.bytesFromOrigin / minute.bytes) : null;
  showTile("Saved", percentParts(share), " of bytes", `${bytes(saved)} since the start`);
  showTile("Latency, p99", isIdle ? ["–", ""] : durationParts(minute.p99), "",
    isIdle ? "No requests in this minute" : `half within ${duration(minute.p50)}`);
  const failures = at(state.now, "requests.byStatus.5xx");
  showTile("Errors", countParts(minute.errors), "/min", `${count(failures)} since the start`);
  tiles.Errors.tile.classList.toggle("isBad", minute.errors > 0);
}

// Outcomes

const outcomes = [
  { key: "hit", name: "Hit", tone: "asHit", hint: "kept and fresh: the origin was not asked", isHit: true },
  { key: "validatedHit", name: "Confirmed hit", tone: "asValidated", hint: "kept, and the origin said that it is still so", isHit: true },
  { key: "collapsedHit", name: "Shared hit", tone: "asShared", hint: "another request was fetching it already", isHit: true },
  { key: "staleHit", name: "Stale hit", tone: "asStale", hint: "kept and past its time, but allowed", isHit: true },
  { key: "miss", name: "Miss", tone: "asMiss", hint: "fetched from the origin" },
  { key: "bypass", name: "Passed by", tone: "asBypass", hint: "the cache had no part in it" },
  { key: "generated", name: "Made here", tone: "asMade", hint: "the proxy itself answered" },
  { key: "failure", name: "Failed", tone: "asBad", hint: "there was no answer" },
  { key: "abandoned", name: "Left", tone: "asMade", hint: "the client left before there was an answer" },
  { key: "refused", name: "Refused", tone: "asRefused", hint: "it was no valid request", path: "requests.refused" },
];
const hitOutcomes = outcomes.filter(({ isHit }) => isHit);

function showOutcomes(state) {
  const numbers = outcomes.map(({ key, path = `requests.byOutcome.${key}` }) => at(state.now, path));
  const sum = numbers.reduce((one, other) => one + other, 0);
  const bar = byId("outcomeBar");
  fill(bar, outcomes, ({ tone }) => make("span", { class: tone }), (part, outcome, index) => {
    part.hidden = numbers[index] === 0;
    part.style.flexGrow = sum ? numbers[index] / sum : 0;
  });
  fill(byId("outcomes"), outcomes, outcomeRow, (row, outcome, index) => {
    row.classList.toggle("isZero", numbers[index] === 0);
    say(row.children[1], exact(numbers[index]));
    say(row.children[2], sum ? percent(numbers[index] / sum) : "–");
  });
  const statuses = ["1xx", "2xx", "3xx", "4xx", "5xx"].map((key) => [key, at(state.now, `requests.byStatus.${key}`)]);
  const seen = statuses.filter(([, number]) => number > 0).map(([key, number]) => `${key} ${exact(number)}`);
  say(byId("statuses"), seen.length > 0 ? `By status: ${seen.join(" · ")}` : "Each request counts once here. There were none yet.");
}

const outcomeRow = ({ name, tone }) => make("tr", {},
  make("th", { scope: "row" }, make("span", { class: `swatch ${tone}` }), name), make("td"), make("td"));

byId("meanings").append(...outcomes.flatMap(({ name, hint }) => [make("dt", {}, name), make("dd", {}, hint)]));

// Latency by tier, on one scale from a microsecond to ten seconds

const tiers = [
  { key: "memory", name: "From memory", tone: "asHit" },
  { key: "store", name: "From disk", tone: "asShared" },
  { key: "origin", name: "From the origin", tone: "asMiss" },
  { key: "none", name: "Made by the proxy", tone: "asMade" },
];
const ranks = [["p50", "p50"], ["p90", "p90"], ["p99", "p99"], ["p999", "p99.9"], ["max", "slowest"]];
const decades = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];

const tierRow = ({ name, tone }) => make("div", { class: `tier ${tone}` },
  make("h3", {}, make("span", {}, name), make("span", { class: "soft small" })),
  make("div", { class: "strip" }),
  make("dl", {}, ...ranks.map(([, title]) => make("div", {}, make("dt", {}, title), make("dd", {}, "–")))));

// The store beyond memory: a disk, or a server that proxies share.
const titled = (name) => name.charAt(0).toUpperCase() + name.slice(1);
const beyondMemory = (state) => titled(at(state.now, "shared.name", "disk"));

const sharedStates = {
  sound: "Shared with the proxies that use it too", recovering: "Has still to be told what it missed",
  unreachable: "Cannot be reached: the proxy goes on without it",
};

function showTiers(state) {
  fill(byId("tiers"), tiers, tierRow, (row, tier) => {
    const number = at(state.now, `latency.${tier.key}.count`);
    const values = ranks.map(([key]) => at(state.now, `latency.${tier.key}.${key}`));
    say(row.querySelector("h3 span"), tier.key === "store" ? `From ${at(state.now, "shared.name") ? beyondMemory(state) : "disk"}` : tier.name);
    say(row.querySelector("h3 .soft"), number ? `${exact(number)} answers` : "No answers yet");
    row.querySelectorAll("dd").forEach((cell, index) => say(cell, number ? duration(values[index]) : "–"));
    drawStrip(row.querySelector(".strip"), number ? values : null, tier === tiers.at(-1));
  });
}

function drawStrip(host, values, isLast) {
  const width = host.clientWidth;
  if (width === 0) return;
  const place = (microseconds) => 8 + (Math.log10(Math.min(Math.max(microseconds, 1), 1e7)) / 7) * (width - 16);
  const svg = draw("svg", { "aria-hidden": "true" });
  for (const decade of decades) {
    const x = Math.round(place(decade));
    svg.append(draw("line", { class: "gridline", x1: x, x2: x, y1: 0, y2: 22 }));
    if (width > 420 ? isLast : Math.log10(decade) % 3 === 0) {
      const anchor = decade === 1 ? "start" : decade === 1e7 ? "end" : "middle";
      const near = { start: 2, middle: x, end: width - 2 }[anchor];
      svg.append(draw("text", { x: near, y: 33, "text-anchor": anchor }, trimmed(duration(decade))));
    }
  }
  if (values) {
    const [p50, p90, p99, p999, slowest] = values.map(place);
    svg.append(draw("line", { class: "whisker", x1: p50, x2: slowest, y1: 11, y2: 11 }),
      draw("line", { class: "body", x1: p50, x2: p99, y1: 11, y2: 11 }),
      draw("line", { class: "whisker", x1: slowest, x2: slowest, y1: 6, y2: 16 }),
      ...[p90, p99, p999].map((cx) => draw("circle", { class: "ring", cx, cy: 11, r: 3.5 })),
      draw("circle", { class: "fill", cx: p50, cy: 11, r: 5.5 }));
  }
  host.replaceChildren(svg);
}

// Memory, disk, connections

function showMeters(state) {
  const size = (part) => [at(state.now, `${part}.bytes`), at(state.now, `${part}.limit`), at(state.now, `${part}.entries`)];
  const average = (used, entries) => (entries ? `${exact(entries)} entries, ${bytes(used / entries)} on average` : "no entries yet");
  const [memory, memoryLimit, memoryEntries] = size("memory");
  const sharedState = at(state.now, "shared.state", "");
  const [disk, diskLimit, diskEntries] = size(sharedState ? "shared.space" : "disk");
  const [open, limit] = [at(state.now, "connections.open"), at(state.now, "connections.limit")];
  const hasDisk = diskLimit > 0 || disk > 0 || diskEntries > 0;
  fill(byId("meters"), [
    { name: "Memory", used: memory, limit: memoryLimit, format: bytes, tone: "asHit", note: average(memory, memoryEntries) },
    { name: beyondMemory(state), used: disk, limit: diskLimit, format: bytes, tone: "asShared",
      note: sharedState ? `${sharedStates[sharedState] ?? sharedState}; ${average(disk, diskEntries)}`
        : hasDisk ? average(disk, diskEntries) : "There is no disk tier: what is cached is gone when the proxy stops." },
    { name: "Connections", used: open, limit, format: exact, tone: "asMade", isCount: true,
      note: `${exact(at(state.now, "connections.accepted"))} accepted since the start${webSockets(state)}` },
  ], meterRow, showMeter);
  const resident = at(state.now, "process.residentBytes");
  const files = exact(at(state.now, "process.openFiles"));
  say(byId("process"), resident ? `The whole process: ${bytes(resident)} resident, ${files} open files.` : "");
}

function webSockets(state) {
  const opened = at(state.now, "connections.webSockets.opened");
  return opened > 0 ? `; ${exact(at(state.now, "connections.webSockets.open"))} WebSockets open of ${exact(opened)}` : "";
}

const meterRow = ({ name, tone }) => make("div", { class: `meter ${tone}` },
  make("p", { class: "label" }, make("strong", {}, name), make("span")),
  make("div", { class: "track", role: "meter", "aria-label": name, "aria-valuemin": 0 }, make("span")),
  make("p", { class: "soft small" }));

function showMeter(row, { name, used, limit, format, note, isCount = false }) {
  const [label, track, small] = row.children;
  const share = limit > 0 ? Math.min(used / limit, 1) : 0;
  const text = limit > 0 ? `${format(used)} of ${format(limit)}` : used > 0 || isCount ? format(used) : "none";
  say(label.firstChild, name);
  say(label.lastChild, text);
  say(small, note);
  track.hidden = limit === 0;
  track.firstChild.style.width = `${(share * 100).toFixed(2)}%`;
  build(track, { "aria-label": name, "aria-valuemax": limit, "aria-valuenow": Math.min(used, limit), "aria-valuetext": text }, []);
}

// The access log, traces and the warm-up: a line for each that there is.

function showOperation(state) {
  fill(byId("operation"), [logLine(state), recordingLine(state), traceLine(state), warmUpLine(state)].filter(Boolean), () => make("li"), say);
}

function logLine(state) {
  if (at(state.now, "accessLog", null) === null) return "";
  const lost = at(state.now, "accessLog.dropped") + at(state.now, "accessLog.lost");
  return `Access log: ${exact(at(state.now, "accessLog.written"))} lines written, ${exact(lost)} lost.`;
}

function recordingLine(state) {
  if (at(state.now, "recording", null) === null) return "";
  const [lost, failure] = [at(state.now, "recording.lost"), at(state.now, "recording.failure", "")];
  return `Recording: ${exact(at(state.now, "recording.written"))} accesses written, ${exact(lost)} lost. ${failure}`.trim();
}

function traceLine(state) {
  if (at(state.now, "traces", null) === null) return "";
  const lost = at(state.now, "traces.dropped") + at(state.now, "traces.failed");
  return `Traces: ${exact(at(state.now, "traces.sent"))} spans sent, ${exact(lost)} lost.`;
}

function warmUpLine(state) {
  if (at(state.now, "warmUp", null) === null) return "";
  const [urls, total] = [at(state.now, "warmUp.urls"), at(state.now, "warmUp.total", null)];
  const isRunning = at(state.now, "warmUp.isRunning", false);
  const progress = isRunning ? `${exact(urls)} of ${total === null ? "an unknown number of" : exact(total)} URLs so far` : `${exact(urls)} URLs, over`;
  return `Warm-up: ${progress}; ${exact(at(state.now, "warmUp.stored"))} stored, ${exact(at(state.now, "warmUp.failed"))} failed.`;
}

// Evictions

const causes = [["capacity", "To make room"], ["expired", "Expired"], ["removed", "Removed on demand"], ["replaced", "Replaced by newer"]];

function showEvictions(state) {
  const causeRow = ([, name]) => make("tr", {}, make("th", { scope: "row" }, name), make("td"), make("td"));
  fill(byId("evictions"), causes, causeRow, (row, [key]) => {
    ["memory", "disk"].forEach((tier, index) => {
      const number = at(state.now, `evictions.${tier}.${key}`, null);
      say(row.children[index + 1], number === null ? "–" : exact(number));
    });
  });
  const perMinute = state.perMinute("evictions.memory.capacity");
  const all = causes.reduce((sum, [key]) => sum + at(state.now, `evictions.memory.${key}`) + at(state.now, `evictions.disk.${key}`), 0);
  say(byId("evictionNote"), all === 0 ? "Nothing has left the cache yet."
    : perMinute > 0 ? `Memory makes room ${count(perMinute)} times a minute now. The curve tells whether a larger cache would help.`
    : "Memory had no need to make room in the last minute.");
}

// Origins

const states = {
  healthy: ["asGood", "✓ healthy"], unhealthy: ["asBad", "✕ unhealthy"], unknown: ["asMade", "? not asked yet"],
};

function showOrigins(state) {
  const members = (group) => at(group, "servers", []).map((server) => ({ group: at(group, "name", ""), server }));
  const servers = at(state.now, "origins", []).flatMap(members);
  fill(byId("originCards"), servers, originCard, showOrigin);
  const up = servers.filter(({ server }) => at(server, "state", "unknown") !== "unhealthy").length;
  say(byId("originsNote"), servers.length === 0 ? "The proxy tells of none." : `${up} of ${servers.length} can be used`);
}

const originCard = () => make("div", { class: "card origin" },
  make("h3", {}, make("span"), make("span", { class: "state" })), make("p", { class: "url" }),
  make("dl", {}, ...["Requests", "Failures", "Under way", "Connected", "Mean time"].map((name) =>
    make("div", {}, make("dt", {}, name), make("dd")))));

function showOrigin(card, { group, server }) {
  const [tone, text] = states[at(server, "state", "unknown")] ?? states.unknown;
  card.className = `card origin ${tone}`;
  say(card.querySelector("h3 span"), group);
  say(card.querySelector(".state"), text);
  say(card.querySelector(".url"), at(server, "url", ""));
  const mean = at(server, "meanResponseMilliseconds");
  const values = [count(at(server, "requests")), count(at(server, "failures")), exact(at(server, "inProgress")),
    exact(at(server, "connections")), mean > 0 ? duration(mean * 1000) : "–"];
  card.querySelectorAll("dd").forEach((cell, index) => say(cell, values[index]));
}

// Sites

function showSites(state) {
  const sites = at(state.now, "sites", []);
  byId("siteCard").hidden = sites.length === 0;
  fill(byId("siteRows"), sites, siteRow, (row, site) => {
    const requests = at(site, "requests");
    const values = [at(site, "name", ""), count(requests), requests ? percent(at(site, "hits") / requests) : "–", exact(at(site, "errors")),
      bytes(at(site, "bytesServed")), bytes(at(site, "bytesSaved"))];
    values.forEach((value, index) => say(row.children[index], value));
  });
}

const siteRow = () => make("tr", {}, make("th", { scope: "row" }), ...[1, 2, 3, 4, 5].map(() => make("td")));

// Rankings. One that has the pointer or the focus keeps its order meanwhile.

// The part of a URL that names the server is left out where all have the same.
const serverOf = (uri) => uri.match(/^https?:\/\/[^/]*/)?.[0] ?? "";

function shortener(uris) {
  const servers = new Set(uris.map(serverOf));
  return (uri) => (servers.size === 1 ? uri.slice(serverOf(uri).length) || uri : uri.replace(/^https?:\/\//, ""));
}

function showRanking(list, note, items, weigh, text, empty) {
  note.hidden = items.length > 0;
  say(note, empty);
  if (list.children.length > 0 && isBusy(list)) return;
  const most = Math.max(...items.map(weigh), 1);
  const shortened = shortener(items.map((item) => at(item, "uri", "")));
  fill(list, items, rankingRow, (row, item) => {
    const uri = at(item, "uri", "");
    say(row.firstChild, shortened(uri));
    build(row.firstChild, { title: uri, "aria-label": `Explain ${uri}` }, []);
    row.firstChild.dataset.uri = uri;
    say(row.lastChild, text(item));
    row.style.setProperty("--share", `${((weigh(item) / most) * 100).toFixed(1)}%`);
  });
}

const rankingRow = () => make("li", {},
  make("button", { type: "button", class: "link", click: (event) => explain(event.currentTarget.dataset.uri) }),
  make("span", { class: "count" }));

function showRankings(state) {
  showRanking(byId("hottest"), byId("hottestNote"), at(state.now, "hottest", []).slice(0, 10), (item) => at(item, "requests"),
    (item) => count(at(item, "requests")), "No URL has been asked for often enough yet.");
  showRanking(byId("largest"), byId("largestNote"), at(state.now, "largest", []).slice(0, 10), (item) => at(item, "bytes"),
    (item) => bytes(at(item, "bytes")), "Nothing has been asked for yet.");
}
