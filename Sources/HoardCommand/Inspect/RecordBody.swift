// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import NIOCore

/// The contents of a record: a stored response, or a payload of which nothing is known.
struct RecordBody {
    private let summary: DiskStore.EntrySummary

    init(_ summary: DiskStore.EntrySummary) { self.summary = summary }

    /// Responses are read as a whole, as the HTTP cache does. A payload of another kind may be of any length.
    private var mayBeResponse: Bool {
        HTTPCacheKey(recordKey: summary.key) != nil && summary.payloadByteCount <= DiskStore.largestPayloadInMemory
    }

    /// The response; `nil` if it is none, or is no longer there.
    func response(in store: DiskStore) async throws -> StoredResponse? {
        guard mayBeResponse, let record = try await store.peekRecord(forKey: summary.key) else { return nil }
        return Self.response(record.payload)
    }

    private static func entry(_ payload: Data) -> HTTPCacheEntry? {
        // The output does not depend on the rules of the cache that has stored the entry.
        try? Codec<HTTPCacheEntry>.httpCacheEntry(rules: HTTPCacheRules(mode: .shared)).decode(payload)
    }

    private static func response(_ payload: Data) -> StoredResponse? {
        if case .response(let response)? = entry(payload) { response } else { nil }
    }

    /// Writes the body of a response, as far as it is stored, or else the payload, to standard output. Returns whether all of it was there.
    func write(from store: DiskStore) async throws -> Bool {
        guard let response = try await response(in: store) else {
            return try await store.peekPayload(forKey: summary.key) { piece in
                try piece.withUnsafeBytes { bytes in try StandardOutput.write(bytes) }
            }
        }
        for extent in response.body.extents {
            switch extent.source {
            case .bytes(let bytes):
                try bytes.withUnsafeReadableBytes { bytes in try StandardOutput.write(bytes) }
            case .reference(let reference):
                guard try await write(reference, length: extent.length, from: store) else { return false }
            }
        }
        return true
    }

    /// Writes the content of an extent of `length` bytes that refers to segments.
    private func write(_ reference: BodyReference, length: Int, from store: DiskStore) async throws -> Bool {
        var (skipped, missing) = (reference.start, length)
        for index in 0..<reference.segmentCount where missing > 0 {
            let segmentLength = min(reference.segmentLength, reference.length - index * reference.segmentLength)
            guard skipped < segmentLength else {
                skipped -= segmentLength
                continue
            }
            guard let segment = try await segment(index, of: reference, in: store),
                let slice = segment.getSlice(at: segment.readerIndex + skipped, length: min(segment.readableBytes - skipped, missing))
            else { return false }
            try slice.withUnsafeReadableBytes { bytes in try StandardOutput.write(bytes) }
            missing -= slice.readableBytes
            skipped = 0
        }
        return missing == 0
    }

    private func segment(_ index: Int, of reference: BodyReference, in store: DiskStore) async throws -> ByteBuffer? {
        guard let record = try await store.peekRecord(forKey: HTTPCacheKey.segment(index, ofBody: reference.id).recordKey),
            case .segment(let bytes)? = Self.entry(record.payload)
        else { return nil }
        return bytes
    }
}
