// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard

@_spi(Client) @testable import HoardRedis

extension KeyHash {
    /// The hash of a record's key.
    static func of(_ key: String) -> KeyHash { KeyHash(record: RecordKey(key)) }

    static func of(_ number: Int) -> KeyHash { .of("\(number)") }
}
