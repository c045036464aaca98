// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// Reads for callers that have a key as bytes, from a socket or a file.
extension Cache where Key == String {
    /// Returns the value of the key with these UTF-8 code units, if there is one and it has not expired. Makes no string of a key in ASCII.
    ///
    /// It returns and counts the same as ``value(forKey:)`` for `String(validating: utf8, as: UTF8.self)`. Bytes that are no valid UTF-8 are no key:
    /// the result is `nil`, and nothing is counted.
    ///
    /// ```swift
    /// let cache = Cache<String, Int>(maximumCount: 100)
    /// cache.insert(1, forKey: "one")
    /// let line = Array("GET one".utf8)
    /// let value = cache.value(forUTF8Key: line.span.extracting(4...))
    /// // 1
    /// ```
    /// - Complexity: O(*n*), where *n* is the number of bytes.
    @inlinable public func value(forUTF8Key utf8: Span<UInt8>) -> Value? {
        utf8.withUnsafeBufferPointer { bytes in
            guard let hash = hasher.hashIfASCII(bytes) else {
                return String(validating: bytes, as: UTF8.self).flatMap { value(forKey: $0) }
            }
            // Lifetimes that depend on reads are computed from the key.
            if computesLifetimesOnRead { return value(forKey: String(decoding: bytes, as: UTF8.self)) }
            let now = usesTimes.load(ordering: .relaxed) ? clock.coarse() : .min
            var mustTune = false
            let reading = cells.withShard(for: hash) { shard in
                let slot = shard.table.slots.find(UInt32(truncatingIfNeeded: hash)) {
                    shard.table.keyPointer($0).pointee.isEqual(toASCII: bytes)
                }
                let reading = shard.read(slot, now: now, lag: lag)
                if shard.isNoted(hash) { mustTune = shard.note(hash, reading.outcome) }
                return reading
            }
            if mustTune { tune(hash) }
            switch reading {
            case .hit(let value): return value
            case .miss, .negative: return nil
            case .needsExactTime: return value(forKey: String(decoding: bytes, as: UTF8.self))
            case .expired(let departure):
                report(departure)
                return nil
            }
        }
    }
}

extension String {
    /// Whether the string is canonically equivalent to one of these bytes, as `==` has it.
    @inlinable @inline(__always)
    func isEqual(toASCII bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).hasBytes(of: UnsafeRawBufferPointer(bytes)) }
        // Strings with the same hash that differ in their bytes are rare.
        return isSame == true || self == String(decoding: bytes, as: UTF8.self)
    }
}

extension UnsafeRawBufferPointer {
    /// Compares eight bytes at a time.
    @inlinable @inline(__always)
    func hasBytes(of other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return elementsEqual(other) }
        var differences: UInt64 = 0
        for offset in stride(from: 0, to: count &- 8, by: 8) {
            differences |= loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        // The last eight; some of them a second time.
        let last = count &- 8
        differences |= loadUnaligned(fromByteOffset: last, as: UInt64.self) ^ other.loadUnaligned(fromByteOffset: last, as: UInt64.self)
        return differences == 0
    }
}
