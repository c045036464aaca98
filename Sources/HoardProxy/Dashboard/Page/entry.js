// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Finding, explaining, purging. The token is a variable and nothing else.

// Asking the proxy

const allowsChanges = document.body.dataset.changes === "yes";
let token = null;

async function read(response) {
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(at(answer, "error", `The proxy answered with status ${response.status}.`));
  return answer;
}

const get = async (path) => read(await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(15000) }));
const ask = (path, parameters) => get(`${path}?${new URLSearchParams(parameters)}`);

const post = (change) => fetch("api/purge", {
  method: "POST", cache: "no-store", body: JSON.stringify(change),
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
});

// Sends the change, and asks for the token as often as it is wrong. `null` if the operator cancels.
async function change(wish) {
  let reason = "Changing what is cached needs the token that the proxy was started with. It stays in this page's memory only.";
  for (;;) {
    if (token === null && !(await askForToken(reason))) return null;
    const response = await post(wish);
    if (response.status !== 401) return read(response);
    setToken(null);
    reason = "The proxy did not accept that token. Try again.";
  }
}

const outcomeOf = (dialog) => new Promise((resolve) => {
  dialog.returnValue = "";
  dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  dialog.showModal();
});

async function askForToken(reason) {
  say(byId("tokenReason"), reason);
  const isGiven = await outcomeOf(byId("tokenDialog"));
  const given = byId("token").value.trim();
  byId("token").value = "";
  if (isGiven && given) setToken(given);
  return token !== null;
}

function setToken(value) {
  token = value;
  byId("forget").hidden = value === null;
}

function confirmed(title, text, action) {
  say(byId("confirmTitle"), title);
  say(byId("confirmText"), text);
  say(byId("confirmYes"), action);
  return outcomeOf(byId("confirmDialog"));
}

// The events, for eyes and screen readers.
function report(text, tone = "") {
  const status = byId("findStatus");
  status.className = `answer ${tone}`;
  say(status, text);
}

// Runs what a button does. Its errors are sentences for the operator.
async function attempt(action) {
  try {
    await action();
  } catch (error) {
    const isUnreachable = error instanceof TypeError || error.name === "TimeoutError";
    report(isUnreachable ? "The proxy cannot be reached." : error.message, "isBad");
  }
}

// Listing

let listed = { parameters: null, next: null };

const pageLength = 50;

function listParameters() {
  const text = byId("query").value.trim();
  return { limit: pageLength, ...(text ? { [byId("kind").value]: text } : {}) };
}

// The next entries. The proxy looks at some of them at a time, and may have found none of these yet.
async function nextEntries(parameters, after) {
  for (let round = 0; ; round += 1) {
    const answer = await ask("api/entries", after === null ? parameters : { ...parameters, after });
    const entries = at(answer, "entries", []);
    after = at(answer, "next", null);
    if (entries.length > 0 || after === null || round === 100) return { entries, next: after };
  }
}

function list(parameters, isMore = false) {
  return attempt(async () => {
    const { entries, next } = await nextEntries(parameters, isMore ? listed.next : null);
    if (!isMore) byId("found").replaceChildren();
    byId("found").append(...entries.map(entryRow));
    listed = { parameters, next };
    byId("more").hidden = next === null;
    reportList(byId("found").children.length, next !== null);
    showBulk();
  });
}

const entriesIn = (number) => `${exact(number)} ${number === 1 ? "entry" : "entries"}`;

function reportList(shown, hasMore) {
  if (shown > 0) report(`${entriesIn(shown)}${hasMore ? ", and there may be more" : ""}.`);
  else report(hasMore ? "No entry found yet, and not all are searched." : "No entry matches. Explain says why a URL may not be kept.");
}

const instant = (value) => (typeof value === "string" ? Date.parse(value) / 1000 : value);

function entryRow(entry) {
  const uri = at(entry, "uri", "");
  return make("li", {},
    make("button", { type: "button", class: "link", "aria-label": `Explain ${uri}`, click: () => explain(uri) }, uri),
    make("div", { class: "actions" }, ...changeButtons(uri)),
    make("div", { class: "facts" }, ...facts(entry).map(([text, tone]) => make("span", { class: tone }, text))));
}

function facts(entry) {
  const now = state.time || Date.now() / 1000;
  const stored = instant(at(entry, "storedAt", null));
  const until = instant(at(entry, "freshUntil", null));
  const isFresh = at(entry, "isFresh", until !== null && until > now);
  const left = until === null ? "" : isFresh ? ` for ${span(Math.max(0, until - now))}` : ` for ${span(Math.max(0, now - until))}`;
  const where = at(entry, "tiers", []).map((tier) => (tier === "store" ? "on disk" : `in ${tier === "memory" ? tier : titled(tier)}`)).join(" and ");
  const tags = at(entry, "tags", []);
  const variant = at(entry, "variant", "");
  return [
    [isFresh ? `● fresh${left}` : `○ stale${left}`, isFresh ? "isFresh" : "isOld"],
    [`status ${at(entry, "status", "?")}`, ""],
    [bytes(at(entry, "bytes")), ""],
    stored === null ? null : [`stored ${span(Math.max(0, now - stored))} ago`, ""],
    where ? [where, ""] : null,
    variant ? [`variant ${variant}`, ""] : null,
    tags.length > 0 ? [`tags ${tags.join(", ")}`, ""] : null,
  ].filter(Boolean);
}

// Explaining

function explain(uri) {
  return attempt(async () => {
    const wanted = uri.trim();
    if (!wanted) {
      report("Write a URL first, such as /index.html.", "isBad");
      byId("query").focus();
      return;
    }
    const answer = await ask("api/explain", { url: wanted });
    const found = at(answer, "uri", wanted);
    say(byId("explanationTitle"), found);
    byId("explanationLines").replaceChildren(...at(answer, "lines", []).map((line) => make("li", {}, line)));
    byId("explanationActions").replaceChildren(...(at(answer, "stored", false) ? changeButtons(found) : []));
    byId("explanation").hidden = false;
    report(at(answer, "stored", false) ? "A response for this URL is kept." : "No response for this URL is kept.");
    byId("explanationTitle").focus();
    byId("explanation").scrollIntoView({ block: "nearest" });
  });
}

// Changing

const button = (text, click, label = text, tone = null) => make("button", { type: "button", class: tone, "aria-label": label, click }, text);

const changeButtons = (uri) => (allowsChanges ? [
  button("Mark stale", () => apply({ url: uri, stale: true }, `${uri} is stale now: its next request asks the origin.`), `Mark ${uri} stale`),
  button("Purge", () => apply({ url: uri }, `${uri} is purged.`), `Purge ${uri}`, "bad"),
] : []);

function apply(wish, told) {
  return attempt(async () => {
    const answer = await change(wish);
    if (answer === null) return report("Nothing was changed.");
    const removed = at(answer, "removed", null);
    if (listed.parameters) await list(listed.parameters);
    if (!byId("explanation").hidden) byId("explanation").hidden = true;
    report(told + (removed === null ? "" : ` (${entriesIn(removed)})`), "isGood");
    byId("findStatus").focus();
  });
}

async function applyToMany(wish, what, isAll = false) {
  const isStale = wish.stale === true;
  const text = isStale ? `${isAll ? "Every entry" : "Each of them"} is confirmed with the origin at its next request. Nothing is deleted.`
    : `${isAll ? "All entries" : "They"} are deleted wherever they are kept, and fetched again when they are asked for. This cannot be undone.`;
  const verb = isStale ? "Mark stale" : "Purge";
  if (await confirmed(`${verb} ${what}?`, isAll && !isStale ? `${text} Expect the origin to get every request for a while.` : text, verb)) {
    await apply(wish, isStale ? `Marked stale: ${what}.` : `Purged: ${what}.`);
  }
}

// Buttons for all entries with a prefix or a tag, when that is what was listed.
function showBulk() {
  // The fields may have other values by now.
  const kind = ["prefix", "tag"].find((name) => name in listed.parameters);
  const text = listed.parameters[kind];
  const isBulk = allowsChanges && kind !== undefined && byId("found").children.length > 0;
  const what = kind === "tag" ? `all with the tag “${text}”` : `all that start with “${text}”`;
  byId("bulk").replaceChildren(...(isBulk ? [
    button(`Mark ${what} stale…`, () => applyToMany({ [kind]: text, stale: true }, what)),
    button(`Purge ${what}…`, () => applyToMany({ [kind]: text }, what), undefined, "bad"),
  ] : []));
}

function prepareEntries() {
  byId("find").addEventListener("submit", (event) => {
    event.preventDefault();
    list(listParameters());
  });
  byId("explain").addEventListener("click", () => explain(byId("query").value));
  byId("more").addEventListener("click", () => list(listed.parameters, true));
  byId("purgeAll").addEventListener("click", () => applyToMany({ all: true }, "everything", true));
  byId("staleAll").addEventListener("click", () => applyToMany({ all: true, stale: true }, "everything", true));
  byId("forget").addEventListener("click", () => {
    setToken(null);
    report("The token is forgotten.");
    byId("query").focus();
  });
  for (const id of ["purgeAll", "staleAll"]) byId(id).hidden = !allowsChanges;
  say(byId("changesNote"), allowsChanges ? "Changes ask for the administration token once."
    : "This page can only look: the proxy was started without --admin-token-file, so nothing can be purged or marked stale from here.");
}
