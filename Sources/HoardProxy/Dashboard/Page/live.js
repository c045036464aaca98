// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// The connection to the proxy, and the start.

// The state of the page

const state = {
  now: {}, time: 0, history: [], longHistory: [], range: "history", samples: [],
  // How much a counter has grown in the last minute.
  perMinute(path) {
    const [first, last] = [state.samples[0], state.samples.at(-1)];
    const seconds = last ? last.time - first.time : 0;
    return seconds > 0 ? ((at(last.now, path) - at(first.now, path)) / seconds) * 60 : 0;
  },
};

const panels = [showTiles, showOutcomes, showCharts, showTiers, showWhatIf, showShadows, showMeters, showEvictions, showOrigins,
  showSites, showOperation, showRankings];

// Takes in a whole answer, or an event, which has only the newest points.
function take(message) {
  // A figure that the message leaves out is over, and not as it was before.
  state.now = message;
  state.time = at(message, "time", Date.now() / 1000);
  for (const [key, length] of [["history", 900], ["longHistory", 86400]]) {
    const points = at(message, key, []).map(readPoint);
    const first = points[0]?.time ?? Infinity;
    state[key] = [...state[key].filter(({ time }) => time < first && time > state.time - length), ...points];
  }
  state.samples = [...state.samples.filter(({ time }) => time > state.time - 60 && time < state.time), { time: state.time, now: message }];
  show();
}

function show() {
  const parts = [at(state.now, "version", null), `up ${span(at(state.now, "uptimeSeconds"))}`];
  say(byId("about"), ["Caching proxy", ...parts.filter(Boolean)].join(" · "));
  for (const part of panels) part(state);
}

// The connection. Whoever hears nothing for a while asks again, at longer and longer intervals.

const link = { source: null, turn: 0, attempts: 0, timer: 0, silence: 0, deadline: 0, wholeTime: 0 };

function setConnection(name, text) {
  byId("connection").dataset.state = name;
  say(byId("connectionText"), text);
  byId("lost").hidden = name !== "lost";
  document.body.classList.toggle("isStale", name === "lost");
}

// Events leave out the long history, which changes slowly.
function getWhole() {
  link.wholeTime = performance.now();
  return get("api/statistics");
}

async function connect() {
  disconnect();
  const { turn } = link;
  const message = await getWhole().catch(() => null);
  // Something else may have happened meanwhile.
  if (turn !== link.turn) return;
  if (message === null) return lose();
  take(message);
  listen();
}

function listen() {
  const source = new EventSource("api/events");
  link.source = source;
  expectNews();
  source.addEventListener("statistics", (event) => {
    link.attempts = 0;
    setConnection("live", "Live");
    expectNews();
    take(JSON.parse(event.data));
    if (performance.now() - link.wholeTime > 60000) refresh();
  });
  // It is closed by an answer that is no stream: there are as many listeners as there may be.
  source.addEventListener("error", () => (source.readyState === EventSource.CLOSED ? poll() : lose()));
}

// Asks for all of it beside the events. An answer that comes when the connection is another one, or none, is of no use.
function refresh() {
  const { turn } = link;
  const ifStill = (action) => (message) => turn === link.turn && action(message);
  getWhole().then(ifStill(take), ifStill(lose));
}

function poll() {
  disconnect();
  link.attempts = 0;
  setConnection("polling", `Every 5${gap}s`);
  link.timer = setTimeout(connect, 5000);
}

function expectNews() {
  clearTimeout(link.silence);
  link.silence = setTimeout(lose, 6000);
}

function disconnect() {
  link.turn += 1;
  link.source?.close();
  link.source = null;
  clearTimeout(link.timer);
  clearTimeout(link.silence);
}

function lose() {
  disconnect();
  link.attempts += 1;
  const wait = Math.min(15, 2 ** (link.attempts - 1)) * (0.8 + 0.4 * Math.random());
  link.deadline = Date.now() + wait * 1000;
  setConnection("lost", "Connection lost");
  countDown();
}

function countDown() {
  const left = (link.deadline - Date.now()) / 1000;
  if (left <= 0) return connect();
  const shown = state.time > 0 ? `These are the figures of ${clock(state.time)}. ` : "";
  say(byId("lostText"), `${shown}Trying again in ${Math.ceil(left)}${gap}s.`);
  link.timer = setTimeout(countDown, Math.min(1000, left * 1000));
}

// A page that nobody sees takes no place among the proxy's listeners.
function pauseOrGoOn() {
  if (!document.hidden) return connect();
  disconnect();
  setConnection("paused", "Paused");
}

function start() {
  prepareEntries();
  prepareAdvice();
  show();
  byId("retry").addEventListener("click", () => {
    link.attempts = 0;
    connect();
  });
  document.addEventListener("visibilitychange", pauseOrGoOn);
  for (const choice of document.querySelectorAll("input[name=range]")) {
    choice.addEventListener("change", () => {
      state.range = choice.value;
      showCharts(state);
    });
  }
  byId("historyRows").closest("details").addEventListener("toggle", () => showCharts(state));
  new ResizeObserver(() => showTiers(state)).observe(byId("tiers"));
  connect();
}

start();
