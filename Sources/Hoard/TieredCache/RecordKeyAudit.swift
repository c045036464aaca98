// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Finds mappings that give equal keys different records, in debug builds.
///
/// Memory would hold one value for them and the stores two: a write of the one would leave the old value of the other.
final class RecordKeyAudit<Key: Hashable & Sendable>: Sendable {
    typealias Mapping = @Sendable (Key) -> RecordKey?

    /// So many keys are remembered, and then forgotten all at once.
    private static var capacity: Int { 1_000 }

    private let seen = Mutex<[Key: RecordKey?]>([:])

    /// The same mapping, which stops the program in debug builds when it gives a key another record than an equal one before.
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

    /// What an equal key was called before, if that was something else.
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
