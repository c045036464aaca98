// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension DashboardPage {
    /// Colours are named once for light and once for dark. Text has at least 4.5:1 against what is behind it, marks in charts 3:1.
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

    /// Charts, tables, meters, forms, and what changes on narrow screens.
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

        .lead { font-size: 1.0625rem; margin: 0.4rem 0 0.9rem; max-width: 62ch; min-height: 3em; }
        #whatIfTable { margin: 0.6rem 0; }
        #whatIfRows th { white-space: nowrap; }
        #whatIfRows tr.current > * { font-weight: 650; }
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
}
