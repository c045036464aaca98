// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting

@testable import Hoard

/// The knowledge of a cache above a tier: the writes that it still wants, and the records that it may still see.
///
/// Every change has a number, in the order in which changes are asked for. A record has the number of the change that wrote it.
final class StoreTierModel: Sendable {
    /// The numbers of the last changes of each key, of each tag, of each partition, and of everything.
    struct Numbers: Sendable {
        var keys: [RecordKey: Int] = [:]
        var tags: [String: Int] = [:]
        var partitions: [String: Int] = [:]
        var everything = 0

        /// The change that forbids a record with this number: it concerns the record and is newer than it.
        func change(forbidding number: Int, _ key: RecordKey, _ tags: Set<String>, _ partition: String?) -> String? {
            if number < keys[key, default: 0] { return "\(keys[key, default: 0]) had changed the key before" }
            if number < everything { return "\(everything) had removed everything before" }
            if let tag = tags.sorted().first(where: { number < self.tags[$0, default: 0] }) {
                return "\(self.tags[tag, default: 0]) had removed the tag \(tag) before"
            }
            guard let partition, number < partitions[partition, default: 0] else { return nil }
            return "\(partitions[partition, default: 0]) had removed the partition \(partition) before"
        }

        mutating func raise(
            _ number: Int,
            keys: some Sequence<RecordKey> = [],
            tags: Set<String> = [],
            partition: String? = nil,
            everything: Bool = false
        ) {
            for key in keys { self.keys[key] = max(number, self.keys[key, default: 0]) }
            for tag in tags { self.tags[tag] = max(number, self.tags[tag, default: 0]) }
            if let partition { partitions[partition] = max(number, partitions[partition, default: 0]) }
            if everything { self.everything = max(number, self.everything) }
        }
    }

    private struct State: Sendable {
        var last = 0
        /// Changes that have reached the store. Older changes must not follow.
        var reached = Numbers()
        /// Changes that have returned. No caller may see an older record.
        var returned = Numbers()
    }

    private let state = Shared(State())

    var returned: Numbers { state.value.returned }

    func nextNumber() -> Int {
        state.update { state in
            state.last += 1
            return state.last
        }
    }

    /// Decides about a change of a key when its turn has come.
    func reach(_ number: Int, _ key: RecordKey, tags: Set<String> = [], partition: String? = nil) -> StoreTier.Verdict {
        state.update { state in
            if number < state.reached.keys[key, default: 0] { return .unwanted }
            state.reached.keys[key] = number
            if number < state.reached.everything { return .outdated }
            if tags.contains(where: { number < state.reached.tags[$0, default: 0] }) { return .outdated }
            if let partition, number < state.reached.partitions[partition, default: 0] { return .outdated }
            return .wanted
        }
    }

    func reach(_ number: Int, tags: Set<String> = [], partition: String? = nil, everything: Bool = false) {
        state.update { $0.reached.raise(number, tags: tags, partition: partition, everything: everything) }
    }

    func returned(_ number: Int, keys: [RecordKey] = [], tags: Set<String> = [], partition: String? = nil, everything: Bool = false) {
        state.update { $0.returned.raise(number, keys: keys, tags: tags, partition: partition, everything: everything) }
    }
}
