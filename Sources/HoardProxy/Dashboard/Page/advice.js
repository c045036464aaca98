// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// Advice, when somebody asks for it: the proxy walks over its entries for it.

const adviceItem = () => make("li", {}, make("strong"), make("p"), make("p", { class: "soft small" }));

function showAdvice(answer) {
  fill(byId("adviceList"), at(answer, "advice", []), adviceItem, (item, advice) => {
    say(item.children[0], at(advice, "sentence", ""));
    say(item.children[1], at(advice, "evidence", ""));
    const [before, after] = [at(advice, "hitRatioBefore", null), at(advice, "hitRatioAfter", null)];
    const effect = before === null || after === null ? "" : `, hit ratio from ${percent(before)} to ${percent(after)}`;
    say(item.children[2], `${at(advice, "certainty", "")}${effect}`);
  });
  const found = at(answer, "advice", []).length > 0 ? [] : ["There is nothing to change that the figures speak for."];
  say(byId("adviceNote"), [...found, ...at(answer, "notJudged", [])].join(" "));
  byId("adviceSettings").hidden = at(answer, "settings", "") === "";
  say(byId("adviceSettings"), at(answer, "settings", ""));
}

async function advise() {
  try {
    showAdvice(await get("api/advice"));
  } catch (error) {
    say(byId("adviceNote"), error instanceof TypeError || error.name === "TimeoutError" ? "The proxy cannot be reached." : error.message);
  }
}

const prepareAdvice = () => byId("advise").addEventListener("click", advise);
