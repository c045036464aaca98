// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard
internal import Synchronization

/// The scope of a removal.
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

/// Fences: a load that was under way when its image was removed keeps nothing, and no later caller joins it. Other images are not concerned.
extension ImageCache {
    /// Removes bitmaps, and breaks the fences of those that are being made. O(*n*) in the bitmaps removed and in the requests under way.
    func forget(_ scope: ImageScope) {
        state.withLock { _ = $0.fences.breakFences { scope.contains($0) } }
        switch scope {
        case .image(let source, let partition): memory.removeValues(taggedWith: DecodedKey.tag(of: source, partition: partition))
        case .partition(let partition): memory.removeValues(taggedWith: DecodedKey.tag(ofPartition: partition))
        case .everything: memory.removeAll()
        }
        flights.detach { scope.contains($0) }
    }
}
