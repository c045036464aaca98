// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The fields of a request that go beyond the connection. `Vary` selects by them.
enum SelectingFields: Sendable {
    case known(HTTPFields)
    /// Most requests that are answered by their bytes never need them.
    case parsedWhenNeeded(@Sendable () -> HTTPFields)

    /// Complexity: O(*n*) in the bytes of the request's head, each time, if they have to be parsed.
    var fields: HTTPFields {
        switch self {
        case .known(let fields): fields
        case .parsedWhenNeeded(let parse): parse()
        }
    }
}
