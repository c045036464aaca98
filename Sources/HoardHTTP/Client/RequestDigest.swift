// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
package import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPFields {
    /// A one-way name of the fields, for keys: the same for the same values under the same names, in whatever order the names come.
    ///
    /// Values can be credentials, so they are not in the name; SHA-256 cut to 16 bytes. Complexity: O(*n* log *n*) in the number of fields.
    package var digest: String {
        var bytes: [UInt8] = []
        let lines = enumerated().sorted { ($0.element.name.canonicalName, $0.offset) < ($1.element.name.canonicalName, $1.offset) }
        for (_, field) in lines {
            // Neither a name nor a value contains a line feed or a zero.
            bytes += Array(field.name.canonicalName.utf8) + [0] + field.valueBytes + [UInt8(ascii: "\n")]
        }
        return Array(SHA256.hash(data: Data(bytes)).prefix(16)).hexadecimal
    }
}
