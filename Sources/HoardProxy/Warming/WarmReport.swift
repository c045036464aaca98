// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The results of warming a cache, counted.
package struct WarmReport: Sendable, Hashable, Codable {
    /// The result for one URL.
    package enum Outcome: Sendable, Hashable {
        /// The cache had it.
        case hit
        /// The cache has stored it now.
        case stored
        /// The cache did not store it, or there is none.
        case notStored
        /// There was no response, or it was an error.
        case failed(String)
    }

    package private(set) var urls = 0
    package private(set) var hits = 0
    package private(set) var stored = 0
    package private(set) var notStored = 0
    package private(set) var failed = 0
    package private(set) var bytes = 0
    package var milliseconds = 0

    package init() {}

    package mutating func add(_ outcome: Outcome, byteCount: Int) {
        urls += 1
        bytes += byteCount
        switch outcome {
        case .hit: hits += 1
        case .stored: stored += 1
        case .notStored: notStored += 1
        case .failed: failed += 1
        }
    }
}

extension WarmReport.Outcome {
    /// The result as the cache nearest to the client states it: [RFC 9211 §2](https://www.rfc-editor.org/rfc/rfc9211#section-2).
    package init(status: Int, cacheStatus: String?) {
        guard status < 400 else {
            self = .failed("status \(status)")
            return
        }
        let parameters = Self.lastMember(of: cacheStatus ?? "").dropFirst()
        if parameters.contains("hit") {
            self = .hit
        } else {
            self = parameters.contains("stored") ? .stored : .notStored
        }
    }

    /// The parts of the last member of a list, strings left out.
    private static func lastMember(of list: String) -> [String] {
        var parts = [""]
        var isInString = false
        var isEscaped = false
        for character in list {
            switch character {
            case _ where isEscaped: isEscaped = false
            case "\\" where isInString: isEscaped = true
            case "\"": isInString.toggle()
            case _ where isInString: break
            case ",": parts = [""]
            case ";": parts.append("")
            case " ", "\t": break
            default: parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
