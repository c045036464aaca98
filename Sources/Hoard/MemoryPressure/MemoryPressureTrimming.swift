// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells all caches that trim themselves of memory pressure. One source serves them all, observed from the first on.
@usableFromInline package final class MemoryPressureTrimming: Sendable {
    @usableFromInline static let shared = MemoryPressureTrimming(source: SystemMemoryPressure())

    /// Trims something at a level, if there is one. Returns whether the thing still exists.
    package typealias Member = @Sendable (MemoryPressure?) -> Bool

    private struct State {
        var members: [Member] = []
        /// At how many members those are dropped whose things are gone.
        var nextSweep = 16
        var responder: MemoryPressureResponder?
    }

    private let source: any MemoryPressureSource
    private let state = Mutex(State())

    package init(source: any MemoryPressureSource) {
        self.source = source
    }

    /// Amortised constant time.
    package func add(_ member: @escaping Member) {
        let swept = state.withLock { state -> [Member]? in
            state.members.append(member)
            if state.responder == nil { state.responder = respond(to: source) }
            guard state.members.count >= state.nextSweep else { return nil }
            state.nextSweep = .max
            return state.members
        }
        guard let swept else { return }
        // Outside the lock: an object may end here, and the objects that end with it may make another.
        let kept = swept.filter { $0(nil) }
        state.withLock { state in
            // Nothing but a sweep drops members, and there is one at a time.
            state.members.replaceSubrange(..<swept.count, with: kept)
            state.nextSweep = max(16, state.members.count * 2)
        }
    }

    /// The number of members that are kept, including those whose things are gone but that have not been dropped yet.
    package var memberCount: Int { state.withLock { $0.members.count } }

    private func respond(to source: some MemoryPressureSource) -> MemoryPressureResponder {
        MemoryPressureResponder(source: source) { [weak self] level in self?.trim(at: level) }
    }

    private func trim(at level: MemoryPressure) {
        // Outside the lock: the members that are trimmed call listeners, which may make caches.
        let members = state.withLock { $0.members }
        for member in members { _ = member(level) }
    }
}

extension MemoryPressureTrimming {
    /// Whether the process is an app, which the system may end to get its memory.
    static let isOnByDefault: Bool = {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            true
        #elseif os(macOS)
            CommandLine.arguments.first?.contains(".app/Contents/MacOS/") ?? false
        #else
            false
        #endif
    }()
}
