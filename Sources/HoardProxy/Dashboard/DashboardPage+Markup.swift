// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension DashboardPage {
    /// The page without figures: what the script fills in has an `id`.
    ///
    /// Style and script go where the two marks are.
    static let markup = #"""
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Hoard</title>
        <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cg fill='%231668c7'%3E%3C
        rect x='5' y='1' width='6' height='3.6' rx='1'/%3E%3Crect x='3' y='6.2' width='10' height='3.6' rx='1'/%3E%3C
        rect x='1' y='11.4' width='14' height='3.6' rx='1'/%3E%3C/g%3E%3C/svg%3E">
        <style>\#(styleMark)</style>
        </head>
        <body>
        <a class="skip" href="#query">Skip to the search</a>
        <header class="top">
          <h1><svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><rect x="5" y="1" width="6" height="3.6" rx="1"/>
            <rect x="3" y="6.2" width="10" height="3.6" rx="1"/><rect x="1" y="11.4" width="14" height="3.6" rx="1"/></svg>Hoard</h1>
          <p id="about" class="soft">Caching proxy</p>
          <nav aria-label="Parts of this page">
            <a href="#traffic">Traffic</a><a href="#latency">Latency</a><a href="#sizes">Sizes</a><a href="#origins">Origins</a>
            <a href="#entries">Entries</a>
          </nav>
          <p id="connection" class="pill" data-state="connecting" role="status"><span class="dot" aria-hidden="true"></span
            ><span id="connectionText">Connecting</span></p>
        </header>
        <div id="lost" class="banner" hidden>
          <p><strong>Connection lost.</strong> <span id="lostText"></span></p>
          <button type="button" id="retry">Try now</button>
        </div>
        <noscript><p class="banner">This page needs JavaScript. The same figures are at <a href="api/statistics">api/statistics</a>
          and <a href="metrics">metrics</a>.</p></noscript>
        <main>
          <section aria-labelledby="nowTitle">
            <h2 id="nowTitle" class="hidden">The last minute</h2>
            <dl id="tiles" class="tiles"></dl>
          </section>

          <section id="traffic" class="grid" aria-labelledby="trafficTitle">
            <div class="heading">
              <h2 id="trafficTitle">Traffic</h2>
              <fieldset class="switch"><legend class="hidden">Time shown</legend>
                <label><input type="radio" name="range" value="history" checked><span>15 minutes</span></label>
                <label><input type="radio" name="range" value="longHistory"><span>24 hours</span></label>
              </fieldset>
            </div>
            <figure id="ratioChart" class="card wide"></figure>
            <div class="card" id="outcomesCard">
              <h3>Requests by outcome</h3>
              <div id="outcomeBar" class="stack" aria-hidden="true"></div>
              <table><thead class="hidden"><tr><th scope="col">Outcome</th><th scope="col">Requests</th><th scope="col">Share</th></tr></thead>
                <tbody id="outcomes"></tbody></table>
              <p id="statuses" class="soft small"></p>
              <details class="small"><summary>What these mean</summary><dl id="meanings" class="meanings"></dl></details>
            </div>
            <figure id="requestsChart" class="card"></figure>
            <figure id="latencyChart" class="card"></figure>
            <figure id="bytesChart" class="card"></figure>
            <details class="card full"><summary>The charts as a table</summary>
              <div class="scroll" tabindex="0" role="region" aria-label="The charts as a table"><table class="figures">
                <thead><tr><th scope="col">Time</th><th scope="col">Hit ratio</th><th scope="col">Requests</th><th scope="col">Errors</th>
                  <th scope="col">p50</th><th scope="col">p99</th><th scope="col">Served</th><th scope="col">From origin</th></tr></thead>
                <tbody id="historyRows"></tbody></table></div>
            </details>
          </section>

          <section id="latency" class="grid" aria-labelledby="latencyTitle">
            <div class="heading"><h2 id="latencyTitle">Latency</h2><p class="soft">By where the content came from, since the start</p></div>
            <div class="card full">
              <div id="tiers"></div>
            </div>
          </section>

          <section id="sizes" class="grid" aria-labelledby="sizesTitle">
            <div class="heading"><h2 id="sizesTitle">Sizes</h2></div>
            <div class="card wide" id="whatIf">
              <h3>What if the cache had another size?</h3>
              <p id="whatIfSentence" class="lead"></p>
              <figure id="missChart"></figure>
              <table id="whatIfTable" class="figures"><thead><tr><th scope="col">Size</th><th scope="col">Bytes</th><th scope="col">Would miss</th>
                <th scope="col">To the origin</th></tr></thead><tbody id="whatIfRows"></tbody></table>
              <p id="whatIfNote" class="soft small"></p>
            </div>
            <div class="column">
              <div class="card"><h3>In use</h3><div id="meters"></div><p id="process" class="soft small"></p></div>
              <div class="card"><h3>Evictions by cause</h3>
                <table class="figures"><thead><tr><th scope="col">Cause</th><th scope="col">Memory</th><th scope="col">Disk</th></tr></thead>
                  <tbody id="evictions"></tbody></table>
                <p id="evictionNote" class="soft small"></p></div>
            </div>
          </section>

          <section id="origins" class="grid" aria-labelledby="originsTitle">
            <div class="heading"><h2 id="originsTitle">Origins</h2><p id="originsNote" class="soft"></p></div>
            <div id="originCards" class="full origins"></div>
          </section>

          <section id="entries" class="grid" aria-labelledby="entriesTitle">
            <div class="heading"><h2 id="entriesTitle">Entries</h2></div>
            <div class="card half"><h3>Hottest <span class="soft small">by requests in the last minutes</span></h3>
              <ol id="hottest" class="ranking"></ol><p id="hottestNote" class="soft" hidden></p></div>
            <div class="card half"><h3>Largest <span class="soft small">of what was asked for lately</span></h3>
              <ol id="largest" class="ranking"></ol><p id="largestNote" class="soft" hidden></p></div>
            <div class="card full finder">
              <form id="find" role="search" aria-label="Entries">
                <label for="query">Find entries, or explain a URL</label>
                <div class="fields">
                  <select id="kind" aria-label="How to search">
                    <option value="search">contains</option><option value="prefix">starts with</option><option value="tag">has the tag</option>
                  </select>
                  <input id="query" type="search" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="/path or https://…">
                  <button type="submit" class="main">List</button>
                  <button type="button" id="explain">Explain</button>
                </div>
              </form>
              <div id="bulk" class="actions"></div>
              <p id="findStatus" class="answer" role="status" tabindex="-1">List shows what is kept. Explain says what would happen to a request.</p>
              <section id="explanation" aria-labelledby="explanationTitle" hidden>
                <h3 id="explanationTitle" tabindex="-1"></h3>
                <ol id="explanationLines"></ol>
                <div id="explanationActions" class="actions"></div>
              </section>
              <ul id="found" class="found"></ul>
              <button type="button" id="more" hidden>More entries</button>
              <div id="danger" class="danger">
                <p id="changesNote" class="soft small"></p>
                <button type="button" id="forget" hidden>Forget the token</button>
                <button type="button" id="staleAll">Mark everything stale…</button>
                <button type="button" id="purgeAll" class="bad">Purge everything…</button>
              </div>
            </div>
          </section>
        </main>
        <footer class="soft small">
          <p>Raw figures: <a href="api/statistics">statistics</a> · <a href="metrics">metrics</a> · <a href="healthz">health</a> ·
            <a href="readyz">readiness</a></p>
          <p>In a chart, the arrow keys move from point to point, Home and End to the first and last, Escape leaves.</p>
        </footer>

        <dialog id="tokenDialog" aria-labelledby="tokenTitle"><form method="dialog">
          <h2 id="tokenTitle">Administration token</h2>
          <p id="tokenReason">Changing what is cached needs the token that the proxy was started with. It stays in this page's memory only.</p>
          <label for="token">Token</label>
          <input id="token" type="password" autocomplete="off" required>
          <div class="actions"><button type="submit" class="main" value="yes">Use this token</button>
            <button type="submit" value="" formnovalidate>Cancel</button></div>
        </form></dialog>
        <dialog id="confirmDialog" aria-labelledby="confirmTitle" aria-describedby="confirmText"><form method="dialog">
          <h2 id="confirmTitle"></h2>
          <p id="confirmText"></p>
          <div class="actions"><button type="submit" class="bad" value="yes" id="confirmYes"></button>
            <button type="submit" value="" autofocus>Cancel</button></div>
        </form></dialog>
        <script>\#(scriptMark)</script>
        </body>
        </html>
        """#
}
