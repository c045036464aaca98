// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Something that belongs to a database connection, on its way through a closure or a lock that asks for `Sendable`.
///
/// Unchecked, because only one thread at a time uses the connection. Only the connection's holder uses things that
/// belong to it: the holder of a reader's lane, or the writing thread.
struct ConnectionBound<Value>: @unchecked Sendable {
    let value: Value
}
