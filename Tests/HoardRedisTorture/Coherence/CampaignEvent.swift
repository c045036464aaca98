// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Something that a worker has noted, as a line of its log. Times are ``MonotonicTime``.
enum CampaignEvent: Equatable {
    /// A call that invalidates all of a key before `version` has returned in this process.
    case returned(key: Int, version: Int, time: Int)
    /// The invalidation holds in the store too: the cache owes the store nothing.
    case acknowledged(key: Int, version: Int, time: Int)
    /// A read that began at `time` has found a version that was older than some invalidation noted before. The detail is for people.
    case read(key: Int, version: Int, time: Int, ReadKind, detail: String = "")
    /// The store's connection stands from now on, or no longer does.
    case connection(stands: Bool, time: Int)
    /// So many reads of each kind were made since the last such line.
    case counted([ReadKind: Int])
    /// A result that is wrong at any time.
    case wrong(String)

    /// How a value was found.
    enum ReadKind: String, CaseIterable {
        /// In memory, or by another caller's read or load that it waited for.
        case near
        /// In the store, or by a load, for this read alone.
        case direct
    }

    var line: String {
        switch self {
        case .returned(let key, let version, let time): "D \(key) \(version) \(time)"
        case .acknowledged(let key, let version, let time): "A \(key) \(version) \(time)"
        case .read(let key, let version, let time, let kind, let detail): "R \(key) \(version) \(time) \(kind.rawValue) \(detail)"
        case .connection(let stands, let time): "O \(stands ? 1 : 0) \(time)"
        case .counted(let counts): "C " + ReadKind.allCases.map { "\(counts[$0] ?? 0)" }.joined(separator: " ")
        case .wrong(let what): "X \(what)"
        }
    }

    /// Reads a line; `nil` for a line that is no event, such as the last one of a process that
    /// was killed while writing it.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ", maxSplits: 5)
        func number(_ index: Int) -> Int? { words.indices.contains(index) ? Int(words[index]) : nil }
        switch words.first {
        case "X":
            self = .wrong(String(line.dropFirst(2)))
        case "O":
            guard words.count == 3, let stands = number(1), let time = number(2) else { return nil }
            self = .connection(stands: stands == 1, time: time)
        case "C":
            let numbers = words.dropFirst().compactMap { Int($0) }
            guard numbers.count == ReadKind.allCases.count else { return nil }
            self = .counted(Dictionary(uniqueKeysWithValues: zip(ReadKind.allCases, numbers)))
        case let kind?:
            guard let key = number(1), let version = number(2), let time = number(3) else { return nil }
            switch kind {
            case "D": self = .returned(key: key, version: version, time: time)
            case "A": self = .acknowledged(key: key, version: version, time: time)
            case "R":
                guard words.count >= 5, let kind = ReadKind(rawValue: String(words[4])) else { return nil }
                self = .read(key: key, version: version, time: time, kind, detail: words.count > 5 ? String(words[5]) : "")
            default: return nil
            }
        case nil: return nil
        }
    }
}
