// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A name in a JSON object that is known only when it is read.
struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// A step into JSON: a member of an object or an element of an array.
struct PathStep: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(name: String) {
        stringValue = name
        intValue = nil
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(name: stringValue) }
    init?(intValue: Int) { self.init(index: intValue) }
}

/// Where in JSON a coding path leads to, in the notation of RFC 9535: `$.children[2].text`.
func jsonPath(_ codingPath: [any CodingKey]) -> String {
    codingPath.reduce(into: "$") { path, key in
        if let index = key.intValue {
            path += "[\(index)]"
        } else if isPlainName(key.stringValue) {
            path += "." + key.stringValue
        } else {
            path += "['\(visible(key.stringValue, limit: 80))']"
        }
    }
}

/// Whether a name can stand in a path without quotes.
private func isPlainName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first), name.utf8.count <= 80 else { return false }
    return name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Text of a server for the eyes of a person: not longer than `limit` characters, on one line, and unable to drive a terminal.
func visible(_ text: String, limit: Int) -> String {
    // A character may have any number of scalars, so these are counted.
    var result = ""
    for scalar in text.unicodeScalars.prefix(limit) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            result += "\\u{\(String(scalar.value, radix: 16))}"
        default:
            result.unicodeScalars.append(scalar)
        }
    }
    return text.unicodeScalars.dropFirst(limit).isEmpty ? result : result + "…"
}
