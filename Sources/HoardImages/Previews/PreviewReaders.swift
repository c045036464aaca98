// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The callers that want to see previews of images that are being fetched.
final class PreviewReaders: Sendable {
    /// Called without any lock.
    typealias Reader = @Sendable (Bitmap) -> Void

    private struct State {
        var lastID = 0
        var readers: [ImageRequest: [Int: Reader]] = [:]
    }

    private let state = Mutex(State())

    /// - Returns: A name for ``remove(_:of:)``.
    func add(of request: ImageRequest, _ reader: @escaping Reader) -> Int {
        state.withLock { state in
            state.lastID += 1
            state.readers[request, default: [:]][state.lastID] = reader
            return state.lastID
        }
    }

    func remove(_ id: Int, of request: ImageRequest) {
        state.withLock { state in
            state.readers[request]?[id] = nil
            if state.readers[request]?.isEmpty == true { state.readers[request] = nil }
        }
    }

    func isEmpty(of request: ImageRequest) -> Bool { state.withLock { $0.readers[request] == nil } }

    func readers(of request: ImageRequest) -> [Reader] { state.withLock { $0.readers[request].map { Array($0.values) } ?? [] } }
}
