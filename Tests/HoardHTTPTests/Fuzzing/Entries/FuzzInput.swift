// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport

@testable import HoardHTTP
@testable import HoardMessages

/// Takes the bytes of a fuzzer apart, always in the same way.
struct FuzzInput {
    private(set) var rest: [UInt8]

    init(_ bytes: [UInt8]) {
        rest = bytes
    }

    /// The next eight bytes as a number, zeros where they end. Not negative.
    mutating func number() -> UInt64 {
        let digits = rest.prefix(8)
        rest.removeFirst(digits.count)
        return digits.reduce(0) { $0 << 8 | UInt64($1) } >> 1
    }

    /// The pieces between line feeds, without them, 64 at most.
    var lines: [[UInt8]] {
        rest.split(separator: UInt8(ascii: "\n"), maxSplits: 63, omittingEmptySubsequences: false).map { Array($0) }
    }

    /// The lines as fields: those that begin with a name and a colon. The bytes of values are taken as lenient transports take them.
    var fields: HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: .colon), let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)) else {
                continue
            }
            fields.append(HTTPField(name: name, lenientValue: Array(line[(colon + 1)...].trimmed)))
        }
        return fields
    }

    /// All lines, as lines of one field.
    func fields(named name: HTTPField.Name) -> HTTPFields {
        var fields = HTTPFields()
        for line in lines { fields.append(HTTPField(name: name, lenientValue: line)) }
        return fields
    }
}

extension HTTPFields {
    /// One line.
    init(_ field: HTTPField) {
        self.init()
        append(field)
    }
}
