// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// What a removal concerns.
enum ImageScope: Hashable, Sendable {
    /// All sizes of one original.
    case image(ImageSource, partition: ExactText)
    /// All images of a partition.
    case partition(ExactText)
    case everything

    func contains(_ request: ImageRequest) -> Bool {
        switch self {
        case .image(let source, let partition): request.source == source && request.partition == partition
        case .partition(let partition): request.partition == partition
        case .everything: true
        }
    }
}

/// Fences: what was under way when an image was removed is not kept, and nobody who comes later joins it. Other images are not concerned.
extension ImageCache {
    /// A load may keep its bitmap as long as its fence is there.
    func openFence(_ request: ImageRequest) -> Int {
        state.withLock { state in
            state.lastFence += 1
            state.fences[state.lastFence] = request
            return state.lastFence
        }
    }

    func closeFence(_ fence: Int) {
        state.withLock { _ = $0.fences.removeValue(forKey: fence) }
    }

    /// Callers are counted from before they join a flight until they have their answer, so that every flight that can be joined is known.
    func countCaller(of request: ImageRequest) {
        state.withLock { $0.callerCounts[request, default: 0] += 1 }
    }

    func uncountCaller(of request: ImageRequest) {
        state.withLock { state in
            guard let count = state.callerCounts[request] else { return }
            state.callerCounts[request] = count > 1 ? count - 1 : nil
        }
    }

    /// Removes bitmaps, and breaks the fences of those that are being made. O(*n*) in the bitmaps removed and in the requests under way.
    func forget(_ scope: ImageScope) {
        let requests = state.withLock { state in
            state.fences = state.fences.filter { !scope.contains($0.value) }
            return state.callerCounts.keys.filter { scope.contains($0) }
        }
        switch scope {
        case .image(let source, let partition): memory.removeValues(taggedWith: DecodedKey.tag(of: source, partition: partition))
        case .partition(let partition): memory.removeValues(taggedWith: DecodedKey.tag(ofPartition: partition))
        case .everything: memory.removeAll()
        }
        for request in requests { flights.detach(request) }
    }
}
