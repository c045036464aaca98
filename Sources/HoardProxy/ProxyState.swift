// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The state of a proxy that changes while it serves.
final class ProxyState: Sendable {
    struct Value: Sendable {
        var configuration: CachingProxy.Configuration
        var upstreams: Upstreams
        var isReloading = false
        var hasEnded = false
        /// The upstreams that a reload has replaced, as long as exchanges keep them.
        fileprivate var replaced: [Replaced] = []
        /// The callers that wait for the end of the reload.
        fileprivate var waiting: [CheckedContinuation<Void, Never>] = []

        fileprivate init(_ configuration: CachingProxy.Configuration, _ upstreams: Upstreams) {
            (self.configuration, self.upstreams) = (configuration, upstreams)
        }
    }

    fileprivate struct Replaced: Sendable {
        weak var group: OriginGroup?
    }

    let value: Mutex<Value>

    init(_ configuration: CachingProxy.Configuration, _ upstreams: Upstreams) {
        value = Mutex(Value(configuration, upstreams))
    }

    /// Begins a reload, which ``endReload()`` must follow.
    ///
    /// - Returns: The state until then; `nil` if there is a reload already, or the proxy is ending.
    func beginReload() -> Value? {
        value.withLock { value in
            if value.isReloading || value.hasEnded { return nil }
            value.isReloading = true
            return value
        }
    }

    func endReload() {
        let waiting = value.withLock { value in
            defer { value.waiting = [] }
            value.isReloading = false
            return value.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Puts a reload into force. Remembers the upstreams that it replaces until nothing uses them any more.
    func replace(with upstreams: Upstreams, _ configuration: CachingProxy.Configuration) {
        value.withLock { value in
            value.replaced.removeAll { $0.group == nil }
            value.replaced += value.upstreams.groups(notAmong: upstreams).map { Replaced(group: $0) }
            (value.upstreams, value.configuration) = (upstreams, configuration)
        }
    }

    /// Closes the connections of all upstreams, also of those that were replaced.
    func shutdownUpstreams() async {
        let (upstreams, replaced) = value.withLock { ($0.upstreams, $0.replaced.compactMap(\.group)) }
        await upstreams.shutdown()
        for group in replaced { await group.shutdown() }
    }

    /// From here on there are no reloads.
    ///
    /// - Returns: Whether this is the first time.
    func end() -> Bool {
        value.withLock { value in
            defer { value.hasEnded = true }
            return !value.hasEnded
        }
    }

    /// Waits until the reload that is under way, if any, has put everything in its place or taken it back.
    func waitForReload() async {
        await withCheckedContinuation { continuation in
            let isOver = value.withLock { value in
                if value.isReloading { value.waiting.append(continuation) }
                return !value.isReloading
            }
            if isOver { continuation.resume() }
        }
    }
}
