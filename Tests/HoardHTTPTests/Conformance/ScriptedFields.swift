// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

@testable import HoardHTTP
@testable import HoardMessages

/// The lines of a header section, as text in which each character is one byte, as on the wire.
struct ScriptedFields: Sendable {
    private(set) var lines: [(name: String, value: String)] = []

    init() {}

    init(_ fields: HTTPFields) {
        lines = fields.map { ($0.name.rawName, String(String.UnicodeScalarView($0.valueBytes.map { Unicode.Scalar($0) }))) }
    }

    mutating func append(_ name: String, _ value: String) {
        lines.append((name, value))
    }

    mutating func append(_ name: String, _ value: Int) {
        append(name, String(value))
    }

    func contains(_ name: String) -> Bool { self[name] != nil }

    /// The value of a field, its lines joined with commas; `nil` if there is none.
    subscript(name: String) -> String? {
        let values = lines.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The whole number with which the value of a field begins.
    func leadingNumber(_ name: String) -> Int? {
        self[name].flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
    }

    /// The value that a server reads from the wire: without the spaces around values.
    func httpFields() throws -> HTTPFields {
        var fields = HTTPFields()
        for line in lines {
            guard let name = HTTPField.Name(line.name) else { throw UnreadableScript("\(line.name) is no field name.") }
            let bytes = try line.value.unicodeScalars.map { scalar in
                guard let byte = UInt8(exactly: scalar.value) else { throw UnreadableScript("The value of \(line.name) has no bytes.") }
                return byte
            }
            fields.append(HTTPField(name: name, value: Array(bytes.trimmed)))
        }
        return fields
    }
}
