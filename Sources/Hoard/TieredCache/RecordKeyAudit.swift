// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Finds mappings that give equal keys different record keys, in debug builds.
///
/// Memory would hold one value for such keys and the stores two. A write under one record key would leave the old value under the other.
final class RecordKeyAudit<Key: Hashable & Sendable>: Sendable {
    typealias Mapping = @Sendable (Key) -> RecordKey?

    /// The most keys that are remembered. With more, all are forgotten.
    private static var capacity: Int { 1_000 }

    private let seen = Mutex<[Key: RecordKey?]>([:])

    /// Returns the mapping with a check: debug builds stop when it gives equal keys different record keys.
    static func auditing(_ mapping: @escaping Mapping) -> Mapping {
        #if DEBUG
            let audit = RecordKeyAudit()
            return { key in
                let recordKey = mapping(key)
                if let before = audit.conflict(of: key, recordKey) {
                    assertionFailure(
                        """
                        recordKey gave equal keys of type \(Key.self) different names, “\(before)” and “\(Self.name(recordKey))”. \
                        Equal keys need equal names; for strings see RecordKey(canonical:).
                        """
                    )
                }
                return recordKey
            }
        #else
            return mapping
        #endif
    }

    /// The name that an equal key got before, if it was another one.
    func conflict(of key: Key, _ recordKey: RecordKey?) -> String? {
        seen.withLock { seen in
            if let before = seen[key] { return before == recordKey ? nil : Self.name(before) }
            if seen.count >= Self.capacity { seen.removeAll(keepingCapacity: true) }
            seen[key] = recordKey
            return nil
        }
    }

    private static func name(_ recordKey: RecordKey?) -> String { recordKey?.description ?? "none" }
}
