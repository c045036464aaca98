// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Remembers why the last entries left a shard, for ``Cache/explain(_:)``.
///
/// A table of 64 places chosen by hash; a newer departure overwrites an older one. Keys are remembered by 32 bits of hash only, so
/// that one key in 67 million is mistaken for another.
@usableFromInline struct DepartureLog: Sendable {
    private struct Place: Sendable {
        var hash: UInt32 = 0
        var cause: RemovalCause?
    }

    private var places: [Place] = []
    private static let count = 64

    @usableFromInline mutating func note(_ hash: UInt32, _ cause: RemovalCause) {
        if places.isEmpty { places = Array(repeating: Place(), count: Self.count) }
        places[Int(hash % UInt32(Self.count))] = Place(hash: hash, cause: cause)
    }

    func cause(_ hash: UInt32) -> RemovalCause? {
        guard !places.isEmpty else { return nil }
        let place = places[Int(hash % UInt32(Self.count))]
        return place.hash == hash ? place.cause : nil
    }
}
