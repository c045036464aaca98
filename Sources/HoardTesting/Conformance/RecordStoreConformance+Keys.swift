// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension RecordStoreConformance {
    static var keyChecks: [Check] {
        [
            Check("keys are compared byte for byte, whatever bytes they are made of") { subject in
                for (number, key) in unusualKeys.enumerated() {
                    try await subject.store.insert(subject.record(number), forKey: key)
                }
                for (number, key) in unusualKeys.enumerated() {
                    try await subject.expectRecord(subject.record(number), forKey: key, "For the key number \(number) of the unusual keys")
                }
                try await subject.store.removeRecord(forKey: unusualKeys[0])
                try await subject.expectRecord(nil, forKey: unusualKeys[0], "After the removal of the empty key")
                for (number, key) in unusualKeys.enumerated().dropFirst() {
                    try await subject.expectRecord(subject.record(number), forKey: key, "After the removal of another key")
                }
            },
            Check("the longest key allowed works") { subject in
                let bytes = [UInt8](repeating: 0x61, count: RecordKey.maximumByteCount)
                let key = RecordKey(bytes: bytes)
                try await subject.store.insert(subject.record(1), forKey: key)
                try await subject.expectRecord(subject.record(1), forKey: key, "For the longest key allowed")
                try await subject.expectRecord(nil, forKey: RecordKey(bytes: bytes.dropLast()), "For a key that is one byte shorter")
            },
            Check("a key that is too long is an error, and nothing is stored") { subject in
                let key = RecordKey(bytes: [UInt8](repeating: 0x61, count: RecordKey.maximumByteCount + 1))
                try await expect(.keyTooLong, from: "A write with a key that is too long") { () async throws(StoreError) in
                    try await subject.store.insert(subject.record(), forKey: key)
                }
                try await expect(.keyTooLong, from: "A read with a key that is too long") { () async throws(StoreError) in
                    _ = try await subject.store.record(forKey: key)
                }
                let statistics = try await subject.store.statistics()
                try expect(statistics.count == 0, "A record with a key that is too long should not be stored, but is.")
                try expect(statistics.insertions == 0, "A write that was refused should not count as an insertion, but does.")
            },
        ]
    }

    /// Keys that a careless store would confuse, refuse, or take for something other than data. The first one is empty.
    private static var unusualKeys: [RecordKey] {
        [
            "", " ", "\0", "a", "a\0", "a\0b", "A", "../", "../../etc/passwd", "/", "a/b", "a\\b", ".", "..", "CON", "~",
            "'; DROP TABLE records; --", "%", "_", "*", "key\r\nDEL key", "\u{1F469}\u{200D}\u{1F4BB}", "\u{1F469}",
            // Two spellings that a Swift string holds to be equal.
            RecordKey("caf\u{E9}"), RecordKey("cafe\u{301}"),
            // Not UTF-8.
            RecordKey(bytes: [0xFF]), RecordKey(bytes: [0xFE]), RecordKey(bytes: [0xC3, 0x28]), RecordKey(bytes: [0xED, 0xA0, 0x80]),
            RecordKey(bytes: [UInt8](0...255)),
            RecordKey(bytes: [UInt8](repeating: 0x78, count: 4_000)), RecordKey(bytes: [UInt8](repeating: 0x78, count: 4_001)),
        ]
    }
}
