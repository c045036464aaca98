// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Hoard

extension StoreError {
    /// The error that a store throws when the connection has no reply for it.
    init(_ error: RedisError, storeName: String) {
        let code: StoreError.Code =
            switch error.code {
            case .outOfMemory: .full
            case .notPermitted, .authenticationFailed: .permissionDenied
            case .invalidConfiguration: .invalidConfiguration
            case .closed: .closed
            default: .unavailable
            }
        self.init(code, "The \(storeName) store cannot be used: \(error.message)", underlyingError: error)
    }

    /// The error that a store throws for a reply of an unexpected kind.
    static func unexpectedReply(_ storeName: String) -> StoreError {
        StoreError(.unavailable, "The server behind the \(storeName) store has sent a reply of another kind than was asked for.")
    }
}
