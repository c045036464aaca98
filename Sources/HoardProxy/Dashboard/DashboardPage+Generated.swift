// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Scripts/dashboard-page makes this file. Change what lies in `Page/`, and run it.

extension DashboardPage {
    /// The whole script of the page.
    static let script = """
        (() => {
        "use strict";

        \(basicScript)

        \(chartScript)

        \(panelScript)

        \(curveScript)

        \(entryScript)

        \(adviceScript)

        \(liveScript)
        })();
        """

    /// The text of `Page/page.html`.
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
        <style>{style}</style>
        </head>
        <body>
        <a class="skip" href="#query">Skip to the search</a>
        <header class="top">
          <h1><svg viewBox="0 0 16 16" width="22" height="22" aria-hidden="true"><rect x="5" y="1" width="6" height="3.6" rx="1"/>
            <rect x="3" y="6.2" width="10" height="3.6" rx="1"/><rect x="1" y="11.4" width="14" height="3.6" rx="1"/></svg>Hoard</h1>
          <p id="about" class="soft">Caching proxy</p>
          <nav aria-label="Parts of this page">
            <a href="#traffic">Traffic</a><a href="#latency">Latency</a><a href="#sizes">Sizes</a><a href="#advice">Advice</a><a href="#origins">Origins</a>
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
            <div class="card full" id="siteCard" hidden><h3>Sites</h3>
              <div class="scroll" tabindex="0" role="region" aria-label="Sites"><table class="figures"><thead><tr><th scope="col">Site</th>
                <th scope="col">Requests</th><th scope="col">Hit ratio</th><th scope="col">Errors</th><th scope="col">Served</th>
                <th scope="col">Saved</th></tr></thead><tbody id="siteRows"></tbody></table></div></div>
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
              <div class="card"><h3>In use</h3><div id="meters"></div><p id="process" class="soft small"></p>
                <ul id="operation" class="plain soft small"></ul></div>
              <div class="card"><h3>Evictions by cause</h3>
                <table class="figures"><thead><tr><th scope="col">Cause</th><th scope="col">Memory</th><th scope="col">Disk</th></tr></thead>
                  <tbody id="evictions"></tbody></table>
                <p id="evictionNote" class="soft small"></p></div>
            </div>
          </section>

          <section id="shadows" class="grid" aria-labelledby="shadowsTitle" hidden>
            <div class="heading"><h2 id="shadowsTitle">Shadows</h2><p class="soft">Other caches, simulated on the same requests, since the start</p></div>
            <div class="card full">
              <div class="scroll" tabindex="0" role="region" aria-label="Shadows"><table class="figures"><thead><tr><th scope="col">Memory</th>
                <th scope="col">Size</th><th scope="col">Hit ratio</th><th scope="col">Difference</th></tr></thead><tbody id="shadowRows"></tbody></table></div>
              <p id="shadowNote" class="soft small"></p>
            </div>
          </section>

          <section id="advice" class="grid" aria-labelledby="adviceTitle">
            <div class="heading"><h2 id="adviceTitle">Advice</h2><p class="soft">From the figures, and from what is kept</p></div>
            <div class="card full">
              <button type="button" id="advise">Look for advice</button>
              <ol id="adviceList"></ol>
              <pre id="adviceSettings" class="scroll" tabindex="0" role="region" aria-label="Settings of the proxy" hidden></pre>
              <p id="adviceNote" class="soft small" role="status"></p>
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
        <script>{script}</script>
        </body>
        </html>
        """#

    /// The text of `Page/style.css`.
    static let style = #"""
        :root {
          color-scheme: light dark;
          --page: #f3f5f8; --card: #fff; --sunk: #eef1f5; --ink: #141a22; --soft: #505b6a; --rule: #d9dfe7; --field: #7c8897;
          --hit: #1668c7; --validated: #0b7d78; --shared: #5a54c4; --stale: #8a6a00; --miss: #c2550a; --made: #6b7785; --bypass: #8748b5;
          --bad: #c01f3a; --good: #16794a; --wash: #1668c71f; --missWash: #c2550a26; --badWash: #fdecef; --onAccent: #fff;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #0d1116; --card: #161c24; --sunk: #1f2731; --ink: #e9eef4; --soft: #a2aebc; --rule: #2a333f; --field: #75818f;
            --hit: #5fadfb; --validated: #3cc2b8; --shared: #a29dff; --stale: #d9b13b; --miss: #f39656; --made: #94a0ae; --bypass: #cb96f2;
            --bad: #ff7d90; --good: #4cc88d; --wash: #5fadfb2b; --missWash: #f3965630; --badWash: #3a1a22; --onAccent: #0d1116;
          }
        }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--page); color: var(--ink); overflow-wrap: anywhere;
          font: 0.9375rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-variant-numeric: tabular-nums;
        }
        h1, h2, h3, p, dl, dd, ol, ul, figure, fieldset { margin: 0; padding: 0; border: 0; }
        h2 { font-size: 1.1875rem; font-weight: 650; letter-spacing: -0.01em; }
        h3 { font-size: 0.9375rem; font-weight: 600; }
        h3 .soft { font-weight: 400; }
        a { color: var(--hit); text-underline-offset: 0.15em; }
        :focus-visible { outline: 3px solid var(--hit); outline-offset: 2px; border-radius: 4px; }
        [tabindex="-1"]:focus-visible { outline-width: 2px; }
        .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .soft { color: var(--soft); }
        .small { font-size: 0.8125rem; }
        .skip { position: fixed; left: 0.75rem; top: -4rem; z-index: 3; padding: 0.5rem 0.9rem; background: var(--card); border-radius: 6px; }
        .skip:focus { top: 0.75rem; }

        .top {
          position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 1.1rem;
          padding: 0.65rem clamp(0.75rem, 3vw, 2rem); background: var(--card); border-bottom: 1px solid var(--rule);
        }
        .top h1 { display: flex; align-items: center; gap: 0.5rem; font-size: 1.1875rem; font-weight: 700; letter-spacing: -0.02em; }
        .top h1 svg { fill: var(--hit); }
        .top #about { flex: 1 1 9rem; }
        .top nav { display: flex; gap: 0.2rem; }
        .top nav a { padding: 0.3rem 0.6rem; border-radius: 6px; color: var(--soft); text-decoration: none; }
        .top nav a:hover { background: var(--sunk); color: var(--ink); }
        .pill {
          display: inline-flex; align-items: center; justify-content: center; gap: 0.45rem; min-width: 5.5rem; padding: 0.25rem 0.75rem;
          border-radius: 99px; background: var(--sunk); font-size: 0.8125rem; font-weight: 600; white-space: nowrap;
        }
        .dot { width: 0.6rem; height: 0.6rem; border-radius: 50%; border: 2px solid var(--soft); }
        .pill[data-state="live"] .dot { background: var(--good); border-color: var(--good); animation: pulse 2s ease-in-out infinite; }
        .pill[data-state="polling"] .dot { background: var(--stale); border-color: var(--stale); }
        .pill[data-state="lost"] { background: var(--badWash); color: var(--bad); }
        .pill[data-state="lost"] .dot { border-color: var(--bad); border-radius: 2px; transform: rotate(45deg); }
        @keyframes pulse { 50% { opacity: 0.45; } }
        .banner {
          display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding: 0.6rem clamp(0.75rem, 3vw, 2rem);
          background: var(--badWash); border-bottom: 1px solid var(--bad);
        }
        .banner strong { color: var(--bad); }
        .isStale figure svg, .isStale .stack, .isStale .tier svg { filter: grayscale(1); }

        main { max-width: 96rem; margin: 0 auto; padding: 1.25rem clamp(0.75rem, 3vw, 2rem) 1rem; display: grid; gap: 2rem; }
        footer { max-width: 96rem; margin: 0 auto; padding: 0.5rem clamp(0.75rem, 3vw, 2rem) 2rem; display: grid; gap: 0.25rem; }
        main > section { min-width: 0; }
        .grid { display: grid; grid-template-columns: repeat(12, minmax(0, 1fr)); gap: 1rem; align-items: stretch; }
        .grid > * { grid-column: span 4; min-width: 0; }
        .grid > .wide { grid-column: span 8; }
        .grid > .half { grid-column: span 6; }
        .grid > .full, .grid > .heading { grid-column: 1 / -1; }
        .heading { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1rem; min-height: 2rem; }
        .heading fieldset { margin-left: auto; }
        .card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 1rem 1.1rem; min-width: 0; }
        .column { display: grid; gap: 1rem; grid-template-rows: auto 1fr; }

        .tiles { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); gap: 1rem; }
        .tiles > div { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 0.8rem 1.1rem 0.85rem; min-width: 0; }
        .tiles dt { color: var(--soft); font-size: 0.8125rem; }
        .tiles .value { font-size: clamp(1.4rem, 1rem + 1.1vw, 2rem); font-weight: 650; letter-spacing: -0.02em; line-height: 1.25;
          white-space: nowrap; }
        .tiles .value small { font-size: 0.55em; font-weight: 500; letter-spacing: 0; color: var(--soft); margin-left: 0.2em; }
        .tiles .note { color: var(--soft); font-size: 0.8125rem; }
        .tiles .isBad .value { color: var(--bad); }

        .switch { display: inline-flex; background: var(--sunk); border-radius: 8px; padding: 3px; }
        .switch label { position: relative; cursor: pointer; }
        .switch input { position: absolute; inset: 0; margin: 0; opacity: 0; cursor: pointer; }
        .switch span { display: block; padding: 0.2rem 0.8rem; border-radius: 6px; color: var(--soft); font-size: 0.8125rem; font-weight: 600; }
        .switch input:checked + span { background: var(--card); color: var(--ink); box-shadow: 0 0 0 1px var(--rule); }
        .switch input:focus-visible + span { outline: 3px solid var(--hit); outline-offset: 1px; }
        """#

    /// The text of `Page/parts.css`.
    static let partStyle = #"""
        figure { display: flex; flex-direction: column; gap: 0.35rem; }
        figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 1rem; min-height: 2.9rem; align-content: start; }
        figcaption h3 { margin-right: auto; }
        .when { color: var(--soft); font-size: 0.8125rem; }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.1rem; flex-basis: 100%; font-size: 0.8125rem; color: var(--soft); }
        .legend li { display: inline-flex; align-items: center; gap: 0.4rem; white-space: nowrap; }
        .legend strong { color: var(--ink); font-weight: 600; min-width: 3.6em; }
        .plot { position: relative; height: 10.5rem; touch-action: pan-y; cursor: crosshair; }
        .wide > .plot, #ratioChart .plot { flex: 1; min-height: 13rem; }
        #missChart .plot { height: 15rem; }
        .plot svg { display: block; width: 100%; height: 100%; position: absolute; inset: 0; }
        .plot .nothing { position: absolute; inset: 0; display: grid; place-items: center; text-align: center; color: var(--soft); padding: 1rem; }
        svg text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
        svg .gridline { stroke: var(--rule); stroke-width: 1; shape-rendering: crispEdges; }
        svg .cursor { stroke: var(--ink); stroke-width: 1; stroke-dasharray: 2 3; }
        svg .mark { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 3; }
        svg .mark.current { stroke: var(--ink); stroke-dasharray: none; }
        svg .markText { fill: var(--ink); font-weight: 600; }
        svg .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        svg .dashed { stroke-dasharray: 5 4; }
        svg .area { stroke: none; }
        svg .point { stroke: var(--card); stroke-width: 2; }
        .asHit { --tone: var(--hit); --toneWash: var(--wash); } .asMiss { --tone: var(--miss); --toneWash: var(--missWash); }
        .asBad { --tone: var(--bad); } .asGood { --tone: var(--good); } .asValidated { --tone: var(--validated); }
        .asShared { --tone: var(--shared); } .asStale { --tone: var(--stale); } .asMade { --tone: var(--made); } .asBypass { --tone: var(--bypass); }
        .asRefused { --tone: var(--ink); }
        .line { stroke: var(--tone); } .area { fill: var(--toneWash); } .point, .fill { fill: var(--tone); }

        table { width: 100%; border-collapse: collapse; }
        th, td { padding: 0.3rem 0; text-align: right; font-weight: 400; border-top: 1px solid var(--rule); white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; white-space: normal; }
        tbody tr:first-child > * { border-top: 0; }
        th + *, td + * { padding-left: 0.75rem; }
        thead th { color: var(--soft); font-size: 0.8125rem; border-top: 0; border-bottom: 1px solid var(--rule); }
        .isZero { color: var(--soft); }
        .swatch { display: inline-block; width: 0.7rem; height: 0.7rem; border-radius: 2px; margin-right: 0.55rem; background: var(--tone); }
        .stack { display: flex; gap: 2px; height: 1.15rem; margin: 0.75rem 0 0.5rem; border-radius: 4px; overflow: hidden; background: var(--sunk); }
        .stack > span { background: var(--tone); min-width: 2px; }
        #statuses { margin: 0.6rem 0 0.3rem; }
        .meanings { display: grid; grid-template-columns: auto 1fr; gap: 0.15rem 0.8rem; margin-top: 0.3rem; }
        .meanings dd { color: var(--soft); }
        .scroll { overflow: auto; max-height: 22rem; margin-top: 0.5rem; }
        summary { cursor: pointer; color: var(--soft); }

        .tier { padding: 0.75rem 0; border-top: 1px solid var(--rule); display: grid; gap: 0.3rem 1.5rem; align-items: center;
          grid-template-columns: 11rem minmax(0, 1fr) 25rem; }
        .tier:first-child { border-top: 0; }
        .tier h3 span { display: block; font-weight: 400; }
        .tier svg { display: block; width: 100%; height: 34px; }
        .tier dl { display: grid; grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 0.5rem; text-align: right; }
        .tier dt { color: var(--soft); font-size: 0.75rem; }
        .tier dd { white-space: nowrap; }
        .whisker { stroke: var(--tone); stroke-width: 2; }
        .body { stroke: var(--tone); stroke-width: 10; stroke-linecap: round; opacity: 0.35; }
        .ring { fill: var(--card); stroke: var(--tone); stroke-width: 2; }

        #adviceList { display: grid; gap: 0.75rem; margin: 0.75rem 0 0.75rem 1.25rem; } #adviceList:empty { margin: 0; }
        #adviceSettings { font-size: 0.8125rem; }
        .lead { font-size: 1.0625rem; margin: 0.4rem 0 0.9rem; max-width: 62ch; min-height: 3em; }
        #whatIfTable { margin: 0.6rem 0; }
        #whatIfRows th { white-space: nowrap; }
        #whatIfRows tr.current > *, #shadowRows tr.current > * { font-weight: 650; }
        .meter { padding: 0.55rem 0 0.65rem; }
        .meter .label { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; }
        .meter .track { height: 0.65rem; margin: 0.3rem 0 0.35rem; border-radius: 99px; background: var(--sunk); overflow: hidden;
          box-shadow: inset 0 0 0 1px var(--rule); }
        .meter .track > span { display: block; height: 100%; background: var(--tone); border-radius: 99px; }
        .origins { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 1rem; }
        .origin h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 0.75rem; }
        .origin .state { margin-left: auto; color: var(--tone); font-weight: 600; font-size: 0.8125rem; white-space: nowrap; }
        .origin .url { font-family: ui-monospace, monospace; font-size: 0.8125rem; color: var(--soft); }
        .origin dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(4.1rem, 1fr)); gap: 0.5rem; margin-top: 0.6rem; }
        .origin dt { color: var(--soft); font-size: 0.75rem; }

        .ranking { list-style: none; margin-top: 0.5rem; }
        .ranking li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 1rem; padding: 0.3rem 0.5rem; border-radius: 5px;
          background: linear-gradient(var(--wash), var(--wash)) no-repeat; background-size: var(--share, 0) 100%; margin-bottom: 2px; }
        .url, .link { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 0.8125rem; }
        .link { all: unset; box-sizing: border-box; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
          font-size: 0.8125rem; line-height: 1.6; cursor: pointer; text-decoration: underline; text-decoration-color: var(--field);
          text-underline-offset: 0.2em; }
        .link:hover { color: var(--hit); }
        .link:focus-visible { outline: 3px solid var(--hit); outline-offset: 2px; border-radius: 4px; }
        .ranking .link { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .ranking .count { white-space: nowrap; }

        button, input, select { font: inherit; color: inherit; min-height: 2.25rem; }
        button, input[type="search"], input[type="password"], select {
          border: 1px solid var(--field); border-radius: 7px; background: var(--card); padding: 0.3rem 0.8rem;
        }
        button { cursor: pointer; font-weight: 550; white-space: nowrap; }
        button:hover { background: var(--sunk); }
        button:disabled { opacity: 0.6; cursor: default; }
        button.main { background: var(--hit); border-color: var(--hit); color: var(--onAccent); }
        button.bad { color: var(--bad); border-color: var(--bad); }
        dialog button.bad { background: var(--bad); color: var(--onAccent); }
        .finder label { display: block; font-weight: 600; margin-bottom: 0.4rem; }
        .fields { display: flex; flex-wrap: wrap; gap: 0.5rem; }
        .fields input { flex: 1 1 16rem; min-width: 0; }
        .actions { display: flex; flex-wrap: wrap; gap: 0.5rem; }
        .finder .actions { margin-top: 0.6rem; }
        .finder .actions:empty { display: none; }
        .finder .actions button, .found button:not(.link) { min-height: 1.9rem; padding: 0.1rem 0.65rem; font-size: 0.8125rem; }
        .answer { margin-top: 0.75rem; color: var(--soft); }
        .answer.isBad { color: var(--bad); font-weight: 600; }
        .answer.isGood { color: var(--good); font-weight: 600; }
        #explanation { margin-top: 0.75rem; padding: 0.8rem 1rem; border: 1px solid var(--rule); border-left: 4px solid var(--hit);
          border-radius: 8px; background: var(--sunk); }
        #explanationLines { padding-left: 1.4rem; margin-top: 0.4rem; }
        .found { list-style: none; margin-top: 0.5rem; }
        .found li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.15rem 1rem; align-items: center; padding: 0.55rem 0;
          border-top: 1px solid var(--rule); }
        .found .facts { color: var(--soft); font-size: 0.8125rem; display: flex; flex-wrap: wrap; gap: 0 0.9rem; }
        .found .facts .isFresh { color: var(--good); } .found .facts .isOld { color: var(--stale); }
        .found .actions { margin: 0; }
        .danger { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; margin-top: 1.1rem; padding-top: 0.9rem;
          border-top: 1px solid var(--rule); }
        .danger p { flex: 1 1 18rem; }
        dialog { width: min(30rem, calc(100vw - 2rem)); border: 1px solid var(--rule); border-radius: 12px; padding: 1.25rem 1.4rem;
          background: var(--card); color: var(--ink); }
        dialog::backdrop { background: rgb(0 0 0 / 0.5); }
        dialog form { display: grid; gap: 0.6rem; }
        dialog .actions { margin-top: 0.4rem; }
        dialog label { font-weight: 600; }

        @media (max-width: 75rem) {
          .tiles { grid-template-columns: repeat(3, minmax(0, 1fr)); }
          .tier { grid-template-columns: 11rem minmax(0, 1fr); }
          .tier dl { grid-column: 1 / -1; }
          .grid > *, .grid > .wide { grid-column: span 6; }
          .grid > .wide:not(figure), .grid > .column, #ratioChart, .grid > #outcomesCard { grid-column: 1 / -1; }
          #bytesChart { grid-column: 1 / -1; }
        }
        @media (max-width: 45rem) {
          html { scroll-padding-top: 0.5rem; }
          .top { position: static; }
          .top nav { order: 3; width: calc(100% + 0.9rem); margin: 0 -0.45rem; gap: 0; justify-content: space-between; }
          .top nav a { padding: 0.3rem 0.45rem; }
          .top #about { order: 2; flex-basis: 100%; }
          .top .pill { margin-left: auto; }
          main { gap: 1.6rem; }
          .grid, .tiles { gap: 0.6rem; }
          .grid > .card, .grid > figure, .grid > .half { grid-column: 1 / -1; }
          .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          .tiles > div, .card { padding: 0.75rem 0.85rem; }
          th + *, td + * { padding-left: 0.5rem; }
          .tier { grid-template-columns: minmax(0, 1fr); }
          .tier dl { font-size: 0.8125rem; gap: 0.25rem; text-align: left; }
          .found li { grid-template-columns: minmax(0, 1fr); }
          .found .actions { order: 1; margin-top: 0.3rem; }
          .ranking li { gap: 0.6rem; padding: 0.3rem 0.35rem; }
          button, .finder .actions button, .found button:not(.link) { min-height: 2.4rem; }
        }
        @media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important; } }
        @media (prefers-contrast: more) { :root { --rule: var(--field); --soft: var(--ink); } }
        @media (forced-colors: active) {
          .swatch, .stack > span, .meter .track > span, .dot { forced-color-adjust: none; }
          .line, .point, .whisker, .body, .ring { forced-color-adjust: none; }
        }
        """#

    /// The text of `Page/basic.js`.
    static let basicScript = #"""
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
        """#

    /// The text of `Page/chart.js`.
    static let chartScript = #"""
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
        """#

    /// The text of `Page/panel.js`.
    static let panelScript = #"""
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
        """#

    /// The text of `Page/curve.js`.
    static let curveScript = #"""
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
        """#

    /// The text of `Page/entry.js`.
    static let entryScript = #"""
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
        """#

    /// The text of `Page/advice.js`.
    static let adviceScript = #"""
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
        """#

    /// The text of `Page/live.js`.
    static let liveScript = #"""
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
        """#
}
