// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Hoard
internal import HoardDisk
internal import HoardHTTP
internal import NIOCore

/// What is in a record: a stored response, or a payload of which nothing is known.
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

    private static func response(_ payload: Data) -> StoredResponse? {
        if case .response(let response)? = try? Codec<HTTPCacheEntry>.httpCacheEntry.decode(payload) { response } else { nil }
    }

    /// Writes the body of a response, or else the payload, to standard output. Returns whether the record was there.
    func write(from store: DiskStore) async throws -> Bool {
        if let response = try await response(in: store) {
            try response.body.withUnsafeReadableBytes { bytes in try StandardOutput.write(bytes) }
            return true
        }
        return try await store.peekPayload(forKey: summary.key) { piece in
            try piece.withUnsafeBytes { bytes in try StandardOutput.write(bytes) }
        }
    }
}
