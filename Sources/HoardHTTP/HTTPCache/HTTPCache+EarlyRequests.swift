// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import Hoard
package import NIOCore

/// Requests whose caller asks the origin itself, on its own task, before the ordinary way of the cache begins.
extension HTTPCache {
    /// A parsed request for which the cache has nothing that it may use as it is, and whose origin is to be asked by the caller.
    ///
    /// It ends like an ``EarlyMiss``: it is answered (``answer(_:with:_:)``), or goes on in the ordinary way, after the miss.
    package struct EarlyRequest: Sendable {
        package let miss: EarlyMiss
        /// The request for the origin. It has no content.
        package let forwarded: HTTPRequest
        let call: Call
        /// It has been told of the lookup.
        let machine: HTTPCacheStateMachine
    }

    /// Begins any request with GET under the conditions of ``beginMiss(targetURI:selectingFields:)``. Never suspends, and reads no store.
    ///
    /// - Returns: `nil` if the request has to be answered in the ordinary way.
    package func beginEarly(_ pending: PendingRequest) -> EarlyRequest? {
        let call = pending.call
        guard beginsEarly, pending.isLookup, call.request.method == .get, !call.key.isMemoryOnly else { return nil }
        var machine = pending.machine
        let fields = SelectingFields.known(machine.selectingFields)
        let flight = Flight(key: call.key, space: call.space, selectingFields: fields, cache: self)
        if pending.isInMemory {
            guard let (found, forward) = staleInMemory(call, &machine), let miss = begin(found, flight, fields) else { return nil }
            return EarlyRequest(miss: miss, forwarded: forward.request, call: call, machine: machine)
        }
        guard case .forward(let forward) = machine.lookedUp(nil, isVaryMiss: false, now: clock.now()), forward.isCollapsible,
            let miss = beginAbsent(flight, fields)
        else { return nil }
        return EarlyRequest(miss: miss, forwarded: forward.request, call: call, machine: machine)
    }

    /// Answers an early request from the whole response. Never suspends.
    ///
    /// - Parameters:
    ///   - head: The head of the origin's response, which is final.
    ///   - content: Its content.
    /// - Returns: `nil` if the response takes more than to be stored. Then nothing has been done.
    package func answer(_ early: EarlyRequest, with head: HTTPResponse, _ content: ByteBuffer) -> EarlyAnswer? {
        answer(early.miss, early.call, early.machine, head, content)
    }
}
