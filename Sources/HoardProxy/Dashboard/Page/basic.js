// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Elements, numbers with units, and reading what the proxy sends.

// Elements

const byId = (id) => document.getElementById(id);

function build(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

const make = (name, attributes = {}, ...children) => build(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) =>
  build(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

// Writes only what has changed, so that selections and screen readers are left alone.
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// Gives the list one child for each item. Children stay, and so does the focus in them.
function fill(list, items, create, update) {
  while (list.children.length > items.length) list.lastElementChild.remove();
  items.forEach((item, index) => {
    if (index === list.children.length) list.append(create(item));
    update(list.children[index], item, index);
  });
}

const canHover = matchMedia("(hover: hover)");
const isBusy = (element) => (canHover.matches && element.matches(":hover")) || element.contains(document.activeElement);

// Numbers

const gap = "\u202f";
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const places = [0, 1, 2].map((n) => new Intl.NumberFormat("en", { minimumFractionDigits: n, maximumFractionDigits: n }));

// Three digits that matter, with the unit they belong to.
function scaled(value, base, units) {
  let unit = 0;
  while (unit < units.length - 1 && Math.abs(value) >= base * 0.9995) {
    value /= base;
    unit += 1;
  }
  const digits = Number.isInteger(value) && unit === 0 ? 0 : Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return [places[digits].format(value), units[unit]];
}

const joined = ([number, unit]) => (unit ? number + gap + unit : number);
const byteParts = (value) => scaled(value, 1000, ["B", "kB", "MB", "GB", "TB", "PB"]);
const countParts = (value) => (value < 99999.5 ? [whole.format(value), ""] : scaled(value, 1000, ["", "k", "M", "G", "T"]));
const rateParts = (value) => (value >= 9.995 || value === 0 ? countParts(value) : [places[value < 1 ? 2 : 1].format(value), ""]);
const durationParts = (microseconds) =>
  microseconds < 999500 ? scaled(microseconds, 1000, ["µs", "ms"]) : [places[microseconds < 1e7 ? 2 : 1].format(microseconds / 1e6), "s"];
// Never rounded up to 100: one failure in a million is not none.
function percentParts(ratio) {
  if (ratio == null || !Number.isFinite(ratio)) return ["–", ""];
  const percent = ratio * 100;
  const digits = percent >= 99 && percent < 100 ? 2 : percent < 1 && percent > 0 ? 2 : 1;
  const step = 10 ** digits;
  const kept = percent < 100 ? Math.min(Math.round(percent * step) / step, 100 - 1 / step) : percent;
  return [places[percent === 100 || percent === 0 ? 0 : digits].format(kept), "%"];
}

// Without zeros at the end, for axes.
const trimmed = (text) => text.replace(/\.0+(?!\d)/, "").replace(/(\.\d*[1-9])0+(?!\d)/, "$1");

const bytes = (value) => joined(byteParts(value));
const count = (value) => joined(countParts(value));
const exact = (value) => whole.format(value);
const rate = (value) => joined(rateParts(value)) + "/s";
const byteRate = (value) => bytes(value) + "/s";
const duration = (value) => joined(durationParts(value));
const percent = (value) => joined(percentParts(value));

function span(seconds) {
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
  const first = units.findIndex(([, length]) => seconds >= length);
  if (first < 0) return `0${gap}s`;
  const parts = [units[first]];
  if (first < 2) parts.push(units[first + 1]);
  let rest = Math.floor(seconds);
  return parts.map(([unit, length]) => {
    const number = Math.floor(rest / length);
    rest -= number * length;
    return number + gap + unit;
  }).join(" ");
}

const clockFormat = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const shortClockFormat = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const clock = (seconds) => clockFormat.format(seconds * 1000);
const shortClock = (seconds) => shortClockFormat.format(seconds * 1000);

// Reading. What the proxy leaves out is told by the last argument.

const at = (object, path, otherwise = 0) => path.split(".").reduce((inner, key) => inner?.[key], object) ?? otherwise;

// A window of time. It is drawn where it ends.
const readPoint = (point) => ({
  time: at(point, "time"), seconds: at(point, "seconds", 1) || 1, end: at(point, "time") + at(point, "seconds"),
  requests: at(point, "requests"), hits: at(point, "hits"), errors: at(point, "errors"),
  bytes: at(point, "bytes"), bytesFromOrigin: at(point, "bytesFromOrigin"),
  p50: at(point, "p50"), p99: at(point, "p99"),
});

const hitRatio = (point) => (point.requests > 0 ? point.hits / point.requests : null);

// The points of the last seconds as one.
function total(points, seconds) {
  const sum = { seconds: 0, requests: 0, hits: 0, errors: 0, bytes: 0, bytesFromOrigin: 0, p99: 0, p50: 0 };
  for (const point of points.slice().reverse()) {
    if (sum.seconds >= seconds) break;
    for (const key of ["seconds", "requests", "hits", "errors", "bytes", "bytesFromOrigin"]) sum[key] += point[key];
    if (sum.p99 === 0) [sum.p99, sum.p50] = [point.p99, point.p50];
  }
  return sum;
}
