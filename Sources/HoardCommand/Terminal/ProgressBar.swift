// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Shows on a terminal how far a transfer is. Draws nothing at all when standard error is not a terminal,
/// nor for a transfer that is done within half a second.
struct ProgressBar {
    /// The unit of the transfer's progress.
    enum Unit { case bytes, records }

    private let total: Int?
    private let unit: Unit
    private let isShown: Bool
    private let start: ContinuousClock.Instant
    private var lastDrawing: ContinuousClock.Instant?
    private var received = 0

    private static let width = 30

    init(total: Int?, unit: Unit = .bytes, isShown: Bool = Terminal.isInteractive, start: ContinuousClock.Instant = .now) {
        self.total = total
        self.unit = unit
        self.isShown = isShown
        self.start = start
    }

    /// Counts bytes or records, and draws if the last drawing is a tenth of a second old.
    mutating func advance(by bytes: Int, now: ContinuousClock.Instant = .now) {
        received += bytes
        guard isShown, now - (lastDrawing ?? start) >= (lastDrawing == nil ? .milliseconds(500) : .milliseconds(100)) else { return }
        lastDrawing = now
        Terminal.write("\r\u{1B}[K" + line(elapsed: now - start))
    }

    /// Wipes the bar.
    mutating func finish() {
        guard lastDrawing != nil else { return }
        Terminal.write("\r\u{1B}[K")
        lastDrawing = nil
    }

    /// The bar as text.
    func line(elapsed: Duration) -> String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        let rate = "\(text(Int(Double(received) / seconds)))/s"
        guard let total, total > 0 else { return "\(text(received))  \(rate)" }
        let fraction = min(Double(received) / Double(total), 1)
        let filled = Int((fraction * Double(Self.width)).rounded(.down))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.width - filled)
        return "[\(bar)] \(Int(fraction * 100)) %  \(text(received)) of \(text(total))  \(rate)"
    }

    private func text(_ count: Int) -> String {
        switch unit {
        case .bytes: ByteCount(count).description
        case .records: "\(count)"
        }
    }
}
