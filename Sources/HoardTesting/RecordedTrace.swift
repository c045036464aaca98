// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A recording, read whole.
package struct RecordedTrace {
    package var events: [TraceEvent] = []
    package private(set) var header: TraceFileHeader?
    package private(set) var byteCount = 0

    /// - Throws: ``TraceFileFault``, and the system's error for the file.
    package init(path: String) throws {
        let bytes = try Data(contentsOf: URL(filePath: path))
        byteCount = bytes.count
        var decoder = TraceFileDecoder()
        try decoder.decode(bytes) { events.append($0) }
        try decoder.finish()
        header = decoder.header
    }

    /// A line for each event: its kind, the number of its key in the order in which keys appear, and its details.
    package var lines: [String] {
        var numbers: [UInt64: Int] = [:]
        return events.map { event in
            let number = numbers[event.key] ?? numbers.count
            numbers[event.key] = number
            var line = "\(event.kind) \(event.key == TraceEvent.everything ? "all" : "\(number)")"
            if let lifetime = event.details?.lifetime { line += " lifetime \(lifetime)" }
            if let cost = event.details?.cost { line += " cost \(cost)" }
            if let tier = event.details?.tier, tier > 0 { line += " tier \(tier)" }
            return line
        }
    }
}
