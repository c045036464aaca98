// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import NIOCore

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Keeps a body while it is received: a short one in memory until it is whole, a long one in segments.
///
/// It holds no more than one segment while the one before it is being written. Used by one task; it must be finished or given up.
struct BodyRecorder: Sendable {
    struct Limits: Sendable {
        /// Longer bodies are kept in segments.
        var inlineLength: Int
        /// Longer bodies are given up.
        var maximumLength: Int
        /// The length that was announced. A body that turns out longer is given up.
        var expectedLength: Int?
    }

    private let segments: BodySegments
    private let owner: BodySegments.Owner
    private let budget: ByteBudget
    private let limits: Limits
    /// The time until which the segments are kept.
    private let keptUntil: Date
    private let storeFailureCount: Int

    private var check: DigestCheck?
    /// Whether the content was whole, and did not have the digest that was announced.
    private(set) var hasWrongDigest = false

    /// The bytes that are in no segment yet.
    private var pending = ByteBuffer()
    private var pendingCount = 0
    /// The random number that names the segments, once there are any.
    private var id: UInt64?
    private var segmentCount = 0
    /// The write of the last full segment.
    private var write: Task<Bool, Never>?
    /// A segment could not be written.
    private var isRefused = false

    /// Whether the body is no longer kept.
    private(set) var isGivenUp = false
    /// The bytes received.
    private(set) var length = 0

    /// - Parameter digest: The one that the content has to have.
    init(segments: BodySegments, owner: BodySegments.Owner, budget: ByteBudget, limits: Limits, keptUntil: Date, digest: ContentDigest? = nil) {
        check = digest.map { DigestCheck($0) }
        self.segments = segments
        self.owner = owner
        self.budget = budget
        self.limits = limits
        self.keptUntil = keptUntil
        storeFailureCount = segments.storeFailureCount
        if limits.expectedLength ?? 0 > limits.maximumLength { isGivenUp = true }
    }

    /// The part that has been written so far, and can be read back.
    private(set) var written: BodyReference?

    /// Takes the next part. Suspends only if a segment is full and the one before it has not been written yet.
    mutating func take(_ part: ByteBuffer) async {
        if isGivenUp { return }
        check?.add(part)
        length += part.readableBytes
        guard length <= min(limits.maximumLength, limits.expectedLength ?? .max), budget.take(part.readableBytes) else { return await giveUp() }
        pendingCount += part.readableBytes
        pending.writeImmutableBuffer(part)
        guard max(length, limits.expectedLength ?? 0) > limits.inlineLength, pending.readableBytes >= BodySegments.segmentLength else { return }
        while let full = pending.readSlice(length: BodySegments.segmentLength) { await writeSegment(full) }
        if isRefused { return await giveUp() }
        // A copy, so that the rest does not keep alive the bytes that have been cut off.
        pending = ByteBuffer(copying: pending)
    }

    private mutating func writeSegment(_ bytes: ByteBuffer) async {
        await awaitWrite()
        let (id, index) = (id ?? RandomNumbers.draw(), segmentCount)
        self.id = id
        segmentCount += 1
        let bodyLength = max(length, limits.expectedLength ?? 0)
        pendingCount -= bytes.readableBytes
        write = startTask { [segments, owner, budget, keptUntil] in
            defer { budget.release(bytes.readableBytes) }
            return await segments.write(
                ByteBuffer(copying: bytes),
                id: id,
                index: index,
                bodyLength: bodyLength,
                keptUntil: keptUntil,
                owner: owner
            )
        }
    }

    private mutating func awaitWrite() async {
        if let write, await !write.value { isRefused = true }
        write = nil
        if let id, !isRefused {
            written = BodyReference(id: id, segmentLength: BodySegments.segmentLength, length: writtenLength, keptUntil: keptUntil)
        }
    }

    /// The bytes in all segments.
    private var writtenLength: Int { length - pendingCount }

    /// Ends the recording with the bytes received so far.
    ///
    /// - Parameter isWhole: Whether that is all, so that it has to have its digest.
    /// - Returns: Where it is; `nil` if it has been given up.
    mutating func finish(isWhole: Bool = true) async -> StoredBody.Source? {
        if isGivenUp { return nil }
        if isWhole, let check, !check.isMet {
            hasWrongDigest = true
            await giveUp()
            return nil
        }
        guard id != nil || length > limits.inlineLength else {
            isGivenUp = true
            budget.release(pendingCount)
            return .bytes(pending)
        }
        if pending.readableBytes > 0 { await writeSegment(pending) }
        await awaitWrite()
        // Memory may have it all; but a store that has failed meanwhile may get the head without the segments before it.
        guard let written, !isRefused, segments.storeFailureCount == storeFailureCount else {
            await giveUp()
            return nil
        }
        isGivenUp = true
        return .reference(written)
    }

    /// Forgets the bytes received so far.
    mutating func giveUp() async {
        if isGivenUp { return }
        isGivenUp = true
        budget.release(pendingCount)
        pendingCount = 0
        pending = ByteBuffer()
        _ = await write?.value
        write = nil
        guard let id else { return }
        let length = segmentCount * BodySegments.segmentLength
        written = nil
        segments.remove(BodyReference(id: id, segmentLength: BodySegments.segmentLength, length: length))
    }
}

extension ByteBuffer {
    /// The same readable bytes in memory of their own.
    init(copying other: ByteBuffer) {
        self.init()
        reserveCapacity(other.readableBytes)
        writeImmutableBuffer(other)
    }
}
