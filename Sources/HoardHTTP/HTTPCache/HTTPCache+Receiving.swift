// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import NIOCore
internal import Synchronization

/// Bodies on their way from the origin to their readers, and into the cache.
extension HTTPCache {
    /// Stores a response whose body is at hand.
    ///
    /// - Returns: The response with its body; `nil` if it could not be kept.
    func store(_ bytes: ByteBuffer, _ storing: HTTPCacheStateMachine.Storing, _ flight: Flight) async -> StoredResponse? {
        let length = bytes.readableBytes
        var recorder = recorder(for: storing, flight, expectedLength: length)
        await recorder.take(bytes)
        count(storableBytes: length)
        guard let source = await recorder.finish(), let response = response(storing, with: source, length: length, isWhole: true) else {
            flight.close()
            return nil
        }
        await flight.store(response)
        return response
    }

    /// A body that is about to be received.
    func receive(
        _ body: HTTPBody,
        _ storing: HTTPCacheStateMachine.Storing,
        _ flight: Flight,
        _ onEnd: @escaping @Sendable () -> Void
    ) -> SharedBody {
        // A body that may be kept though it is incomplete is stored after the last reader has left.
        let closesFlight = !storing.mayKeepIncomplete
        return SharedBody(expectedLength: storing.placement?.length ?? body.length, segments: segments) {
            if closesFlight { flight.close() }
            onEnd()
        }
    }

    func startReceiving(
        _ body: HTTPBody,
        _ storing: HTTPCacheStateMachine.Storing,
        _ flight: Flight,
        into shared: SharedBody,
        announcesTrailers: Bool = false,
        _ onEnd: @escaping @Sendable () -> Void
    ) {
        let recorder = recorder(for: storing, flight, expectedLength: shared.expectedLength)
        let task = transfers.start(isImmediate: true) { [self] in
            let transfer = Transfer(storing: storing, flight: flight, shared: shared, announcesTrailers: announcesTrailers, onEnd: onEnd)
            await self.receive(body, recorder, transfer)
        }
        shared.setFeeder(task)
    }

    /// The context of a body that is being received.
    private struct Transfer: Sendable {
        let storing: HTTPCacheStateMachine.Storing
        let flight: Flight
        let shared: SharedBody
        /// Whether the received head says that trailers follow. The stored one does not.
        let announcesTrailers: Bool
        let onEnd: @Sendable () -> Void
    }

    private func recorder(for storing: HTTPCacheStateMachine.Storing, _ flight: Flight, expectedLength: Int?) -> BodyRecorder {
        let stored = storing.placement == nil ? 0 : storing.response.body.byteCountAtHand
        var limits = BodyRecorder.Limits(
            inlineLength: max(0, configuration.inlineBodyBytes - stored),
            maximumLength: rules.maximumObjectBytes,
            expectedLength: expectedLength
        )
        if flight.key.isMemoryOnly {
            // Segments are for stores. Content that is too long for one entry is forwarded only.
            limits.inlineLength = max(0, min(rules.maximumObjectBytes, max(configuration.inlineBodyBytes, memoryBytes / 16)) - stored)
            limits.maximumLength = limits.inlineLength
        }
        return BodyRecorder(
            segments: segments,
            owner: flight.segmentOwner,
            budget: budget,
            limits: limits,
            keptUntil: segmentsKeptUntil(storing.response),
            digest: storing.digest
        )
    }

    /// Receives a body part by part, as its readers want it.
    ///
    /// The part that completes a body of known length is handed over only after the whole has been stored, unless trailers follow. So a client that has
    /// seen the last byte and asks again finds the response in the cache.
    private func receive(_ body: HTTPBody, _ recorder: BodyRecorder, _ transfer: Transfer) async {
        var recorder = recorder
        let (shared, flight) = (transfer.shared, transfer.flight)
        var parts: HTTPBody.AsyncIterator? = body.makeAsyncIterator()
        var received = 0
        var keeping = SharedBody.Keeping.inMemory
        var isStored = false
        while await shared.waitForDemand() {
            let part: ByteBuffer?
            do {
                part = try await parts?.next(isolation: nil)
            } catch {
                await breakOff(&recorder, transfer)
                return shared.end(.brokenOff(error))
            }
            // Many streams simply end when the task that reads them is cancelled. That is not the end of the body.
            if part == nil, Task.isCancelled { break }
            guard let part else {
                if let expected = shared.expectedLength, received < expected {
                    await breakOff(&recorder, transfer)
                    return shared.end(.brokenOff(TransportError.endedEarly))
                }
                let trailers = body.trailers
                if !isStored { keeping = await store(&recorder, trailers: trailers, transfer, keeping) }
                transfer.onEnd()
                if isRefused(recorder) { return shared.end(.brokenOff(TransportError.wrongDigest), keeping: keeping) }
                return shared.end(.whole(trailers: trailers), keeping: keeping)
            }
            received += part.readableBytes
            count(storableBytes: part.readableBytes)
            if !isStored {
                await recorder.take(part)
                if recorder.isGivenUp {
                    keeping = .notAtAll
                    flight.close()
                } else if received == shared.expectedLength, !transfer.announcesTrailers {
                    keeping = await store(&recorder, trailers: nil, transfer, keeping)
                    isStored = true
                    transfer.onEnd()
                    if isRefused(recorder) { return shared.end(.brokenOff(TransportError.wrongDigest), keeping: keeping) }
                } else if let written = recorder.written {
                    keeping = .inSegments(written)
                }
            }
            shared.append(part, keeping: keeping)
        }
        // No reader wants the rest. The exchange is closed before anything else is done.
        parts = nil
        if !isStored { await breakOff(&recorder, transfer) }
    }

    /// Stores a body that is whole.
    private func store(
        _ recorder: inout BodyRecorder,
        trailers: HTTPFields?,
        _ transfer: Transfer,
        _ keeping: SharedBody.Keeping
    ) async -> SharedBody.Keeping {
        let length = recorder.length
        guard !recorder.isGivenUp, let source = await recorder.finish() else {
            if recorder.hasWrongDigest { journal.note(.wrongDigest, for: transfer.flight.key) }
            transfer.flight.close()
            return .notAtAll
        }
        // A body that is not stored after all is removed, but not from under its readers.
        if case .reference(let written) = source { transfer.shared.hold(written) }
        var isStored = false
        if var response = response(transfer.storing, with: source, length: length, isWhole: true) {
            if let trailers { response.trailers = trailers }
            isStored = await transfer.flight.store(response)
        } else {
            transfer.flight.close()
        }
        guard case .reference(let written) = source else { return keeping }
        return isStored ? .inSegments(written) : .notAtAll
    }

    /// Ends a transfer that broke off: the received content is kept as a part if that is allowed, and forgotten otherwise.
    private func breakOff(_ recorder: inout BodyRecorder, _ transfer: Transfer) async {
        defer { transfer.onEnd() }
        let (flight, length) = (transfer.flight, recorder.length)
        let hasBetter = transfer.storing.placement == nil && flight.found?.response?.isComplete == true
        guard transfer.storing.mayKeepIncomplete, !hasBetter, length > 0, !recorder.isGivenUp, flight.isIntact else {
            flight.close()
            return await recorder.giveUp()
        }
        let source = await recorder.finish(isWhole: false)
        let expectedLength = transfer.shared.expectedLength
        guard let source, let response = response(transfer.storing, with: source, length: length, isWhole: false, of: expectedLength) else {
            return flight.close()
        }
        await flight.store(response)
    }

    /// The response with the received content. Segments to which it does not refer are removed: the same content is stored already, or the body would be in
    /// too many pieces.
    private func response(
        _ storing: HTTPCacheStateMachine.Storing,
        with source: StoredBody.Source,
        length: Int,
        isWhole: Bool,
        of expectedLength: Int? = nil
    ) -> StoredResponse? {
        let response = storing.response(with: source, length: length, isWhole: isWhole, of: expectedLength)
        guard case .reference(let written) = source else { return response }
        if response?.body.references.contains(where: { $0.id == written.id }) != true { segments.remove(written) }
        return response
    }

    /// Whether content that does not have its digest is kept from the readers.
    private func isRefused(_ recorder: BodyRecorder) -> Bool { recorder.hasWrongDigest && configuration.digests.refuses }

    private func count(storableBytes count: Int) { counters.withLock { $0.storableBytes += count } }
}

extension HTTPCacheStateMachine.Storing {
    /// The response with the content received so far, and with the part of it stored before.
    ///
    /// - Parameters:
    ///   - length: The length of the content received so far.
    ///   - isWhole: Whether that is all that was to come.
    ///   - expectedLength: The length that was announced.
    /// - Returns: `nil` if the body would be in too many pieces.
    func response(
        with source: StoredBody.Source,
        length: Int,
        isWhole: Bool,
        of expectedLength: Int? = nil
    ) -> StoredResponse? {
        var response = response
        if let placement {
            var known = response.body
            known.completeLength = placement.completeLength ?? known.completeLength
            if known.extents.isEmpty { known.completeLength = placement.completeLength }
            let extent = StoredBody.Extent(offset: placement.offset, length: length, source: source)
            guard let body = length == 0 ? known : known.adding(extent) else { return nil }
            response.body = body
        } else {
            let extents = length == 0 ? [] : [StoredBody.Extent(offset: 0, length: length, source: source)]
            response.body = StoredBody(extents: extents, completeLength: isWhole ? length : expectedLength)
        }
        return response
    }
}
