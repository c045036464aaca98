// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The results of warming a cache, counted.
struct WarmReport: Encodable, Equatable {
    /// The result for one URL.
    enum Outcome: Equatable {
        /// The cache had it.
        case hit
        /// The cache has stored it now.
        case stored
        /// The cache did not store it, or there is none.
        case notStored
        /// There was no response, or it was an error.
        case failed(String)
    }

    private(set) var urls = 0
    private(set) var hits = 0
    private(set) var stored = 0
    private(set) var notStored = 0
    private(set) var failed = 0
    private(set) var bytes = 0
    var milliseconds = 0

    mutating func add(_ outcome: Outcome, byteCount: Int) {
        urls += 1
        bytes += byteCount
        switch outcome {
        case .hit: hits += 1
        case .stored: stored += 1
        case .notStored: notStored += 1
        case .failed: failed += 1
        }
    }

    var line: String {
        let parts = [(stored, "stored"), (hits, "cached already"), (notStored, "not stored"), (failed, "failed")].filter { $0.0 > 0 }
        let counts = parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return "\(urls) URLs: \(counts.isEmpty ? "nothing to do" : counts); \(ByteCount(bytes)) in \(milliseconds) ms"
    }
}

extension WarmReport.Outcome {
    /// The result as the cache nearest to the client states it: [RFC 9211 §2](https://www.rfc-editor.org/rfc/rfc9211#section-2).
    init(status: Int, cacheStatus: String?) {
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
