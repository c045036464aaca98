// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension RecordStoreConformance.Subject {
    /// A record created now, with a payload of `byteCount` bytes that no other number gives.
    func record(
        _ number: Int = 0,
        byteCount: Int = 16,
        freshFor: Duration? = nil,
        keptFor: Duration? = nil,
        tags: Set<String> = [],
        partition: String? = nil
    ) -> Record {
        let now = time.now()
        return Record(
            payload: Self.payload(number, byteCount: byteCount),
            created: now,
            freshUntil: freshFor.map { now + $0 },
            staleUntil: keptFor.map { .date(now + $0) } ?? (freshFor == nil ? .forever : .whenNoLongerFresh),
            tags: tags,
            partition: partition
        )
    }

    /// Bytes that depend on `number` throughout, so that a mixture of two payloads is recognised.
    static func payload(_ number: Int, byteCount: Int) -> Data {
        var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: number))
        var data = Data(capacity: byteCount + 8)
        while data.count < byteCount {
            withUnsafeBytes(of: generator.next().littleEndian) { data.append(contentsOf: $0) }
        }
        return data.prefix(byteCount)
    }

    /// Ends the check unless the store has exactly this record, or none if `nil`. ``Record/lastAccess`` may differ.
    func expectRecord(_ expected: Record?, forKey key: RecordKey, _ circumstances: String) async throws {
        let actual = try await store.record(forKey: key)
        if let difference = Self.difference(between: actual, and: expected) {
            throw RecordStoreConformance.UnmetExpectation(message: "\(circumstances), \(difference).")
        }
    }

    /// Describes how a record that was read differs from the expected one; `nil` if it does not. ``Record/lastAccess`` may differ.
    static func difference(between actual: Record?, and expected: Record?) -> String? {
        switch (actual, expected) {
        case (nil, nil): return nil
        case (nil, .some): return "the store should have the record, but has none"
        case (.some, nil): return "the store should have no record, but has one"
        case (let actual?, let expected?):
            let fields = [
                ("payload", actual.payload == expected.payload),
                ("created", actual.created == expected.created),
                ("freshUntil", actual.freshUntil == expected.freshUntil),
                ("staleUntil", actual.staleUntil == expected.staleUntil),
                ("staleWhileRevalidate", actual.staleWhileRevalidate == expected.staleWhileRevalidate),
                ("staleIfError", actual.staleIfError == expected.staleIfError),
                ("loadDuration", actual.loadDuration == expected.loadDuration),
                ("isNegative", actual.isNegative == expected.isNegative),
                ("tags", actual.tags == expected.tags),
                ("partition", actual.partition == expected.partition),
                ("validator", actual.validator == expected.validator),
                ("contentType", actual.contentType == expected.contentType),
                ("schemaFingerprint", actual.schemaFingerprint == expected.schemaFingerprint),
            ]
            return fields.first { !$0.1 }.map { "the record should be the one that was written, but its \($0.0) is another" }
        }
    }
}

extension Date {
    /// The date after `duration`.
    static func + (date: Date, duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.components
        return date.addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }
}
