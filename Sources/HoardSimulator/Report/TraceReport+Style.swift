// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension TraceReport {
    /// The style of the page around the drawings.
    static let pageStyle = """
        body { margin: 0; font: 16px/1.5 system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; color: #24292f; background: #ffffff; }
        main { max-width: 62rem; margin: 0 auto; padding: 1rem; }
        h1, h2 { overflow-wrap: anywhere; line-height: 1.25; }
        h2 { margin-top: 3rem; border-bottom: 1px solid #d0d7de; }
        h3 { margin: 0 0 0.5rem; font-size: 1.1rem; }
        figure { margin: 2.5rem 0; }
        figure svg { display: block; width: 100%; height: auto; }
        figcaption { max-width: 46rem; color: #59636e; font-size: 0.9rem; }
        details { margin-top: 0.5rem; overflow-x: auto; font-size: 0.9rem; }
        summary { cursor: pointer; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: 0.2rem 0.8rem 0.2rem 0; text-align: right; border-bottom: 1px solid #d0d7de; }
        th:first-child { text-align: left; font-weight: 400; }
        thead th { font-weight: 600; }
        @media screen and (prefers-color-scheme: dark) {
          body { color: #e6edf3; background: #0d1117; }
          figcaption { color: #9198a1; }
          h2, th, td { border-color: #30363d; }
        }
        @media print {
          main { max-width: none; padding: 0; }
          section + section { break-before: page; }
          figure, tr { break-inside: avoid; }
          h2, h3 { break-after: avoid; }
          details:not([open]) { display: none; }
        }
        """
}
