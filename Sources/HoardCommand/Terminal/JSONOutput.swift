// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A value as a line of JSON: keys sorted, dates by ISO 8601.
func jsonLine(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return printableJSON(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// The same JSON, with the control and format characters that its strings may have as they are written as escapes, so
/// that text from servers cannot drive the reader's terminal.
func printableJSON(_ json: String) -> String {
    func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
    guard json.unicodeScalars.contains(where: isEscaped) else { return json }
    return json.unicodeScalars.reduce(into: "") { result, scalar in
        guard isEscaped(scalar) else { return result.unicodeScalars.append(scalar) }
        for unit in String(scalar).utf16 {
            let digits = String(unit, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }
}

/// Prints a value to standard output as a line of JSON.
func printJSON(_ value: some Encodable) throws {
    print(try jsonLine(value))
}
