// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The bytes that a decoder is at, for members that are kept as they are.
///
/// A decoder can be asked for the type of a value only by trying: each wrong guess is an error that is made and thrown away, which for a large array takes seconds.
/// So when the first ``JSONValue`` is wanted, the bytes are read once, and every one is looked up by its path.
final class JSONDocument: Sendable {
    private enum State {
        case unread
        /// `nil`: the bytes are not JSON.
        case read(JSONValue?)
    }

    private let bytes: Data
    private let state = Mutex(State.unread)

    init(_ bytes: Data) {
        self.bytes = bytes
    }

    /// The value that a coding path leads to; `nil` if it has to be asked of the decoder. O(path), and O(bytes) once.
    func value(at path: [any CodingKey]) -> JSONValue? {
        var value = root
        for key in path {
            switch value {
            case .object(let members)?: value = members[key.stringValue]
            case .array(let elements)?: value = key.intValue.flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            default: return nil
            }
        }
        return value
    }

    private var root: JSONValue? {
        state.withLock { state in
            if case .read(let value) = state { return value }
            let value = bytes.withUnsafeBytes { JSONReader.read($0) }
            state = .read(value)
            return value
        }
    }
}
