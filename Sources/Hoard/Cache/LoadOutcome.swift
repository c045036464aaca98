// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The outcome of a load for its callers.
@usableFromInline enum LoadOutcome<Value: Sendable>: Sendable {
    case value(Value)
    /// The loader, or a negative entry, says that there is no value.
    case absent
    /// A negative entry keeps this error.
    case failure(any Error)
    /// A bulk load has not mentioned the key, so it is unknown whether there is a value.
    case unknown

    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
