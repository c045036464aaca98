// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The style of all plots.
enum PlotStyle {
    // Colours of medium lightness are told apart on white and on black; dashes tell them apart without colour.
    static let sheet = """
        svg { font: 12px system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; background: #ffffff; }
        .ground { fill: #ffffff; }
        text { fill: #24292f; }
        .heading { font-size: 18px; font-weight: 600; }
        .title { font-size: 14px; font-weight: 600; }
        .name { fill: #6e7781; }
        .axis { stroke: #6e7781; }
        .grid { stroke: #d0d7de; stroke-width: 0.6; }
        .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
        .dot { stroke: none; }
        .hoard { stroke: #e5484d; stroke-width: 3.2; } .dot.hoard { fill: #e5484d; }
        .hoard-bytes { stroke: #f0883e; stroke-width: 2.6; } .dot.hoard-bytes { fill: #f0883e; }
        .lru { stroke: #3b82f6; } .dot.lru { fill: #3b82f6; }
        .fifo { stroke: #8b95a1; stroke-dasharray: 6 4; } .dot.fifo { fill: #8b95a1; }
        .clock { stroke: #06a5b5; stroke-dasharray: 9 3; } .dot.clock { fill: #06a5b5; }
        .sieve { stroke: #c2850c; stroke-dasharray: 2 4; } .dot.sieve { fill: #c2850c; }
        .s3fifo { stroke: #22a05a; } .dot.s3fifo { fill: #22a05a; }
        .merlin { stroke: #9a5b3f; stroke-dasharray: 7 2 2 2 2 2; } .dot.merlin { fill: #9a5b3f; }
        .arc { stroke: #a855f7; } .dot.arc { fill: #a855f7; }
        .lirs { stroke: #e2689f; stroke-dasharray: 10 3 2 3; } .dot.lirs { fill: #e2689f; }
        .tinylfu { stroke: #0f9d8a; stroke-dasharray: 12 3; } .dot.tinylfu { fill: #0f9d8a; }
        .gdsf { stroke: #7a9a01; stroke-dasharray: 5 2; } .dot.gdsf { fill: #7a9a01; }
        .lhd { stroke: #b9770e; stroke-dasharray: 8 2 2 2; } .dot.lhd { fill: #b9770e; }
        .adaptsize { stroke: #6e7bd9; stroke-dasharray: 3 3; } .dot.adaptsize { fill: #6e7bd9; }
        .opt { stroke: #7d8590; stroke-width: 2.4; stroke-dasharray: 1 5; } .dot.opt { fill: #7d8590; }
        .pfoo-l { stroke: #7d8590; stroke-width: 2.4; stroke-dasharray: 1 5; } .dot.pfoo-l { fill: #7d8590; }
        .first { stroke: #3b82f6; } .bar.first { fill: #3b82f6; }
        .second { stroke: #c2850c; stroke-dasharray: 6 4; } .bar.second { fill: #c2850c; }
        .dot, .bar { stroke: none; }
        @media screen and (prefers-color-scheme: dark) {
          svg { background: #0d1117; }
          .ground { fill: #0d1117; }
          text { fill: #e6edf3; }
          .name { fill: #9198a1; }
          .axis { stroke: #9198a1; }
          .grid { stroke: #30363d; }
        }
        """
}
