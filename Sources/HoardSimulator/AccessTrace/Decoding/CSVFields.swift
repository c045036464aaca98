// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The values of a line of comma-separated values, as ranges of the line. Values with commas in them are not
/// known to these formats.
struct CSVFields {
    private var ranges: [Range<Int>] = []

    var count: Int { ranges.count }

    /// Without blanks and quotation marks at its ends; empty if the line is shorter.
    subscript(index: Int) -> Range<Int> { ranges.indices.contains(index) ? ranges[index] : 0..<0 }

    /// Finds the values of a line.
    mutating func split(_ line: Span<UInt8>) {
        ranges.removeAll(keepingCapacity: true)
        let end = line.contentEnd
        var start = 0
        for index in 0..<end where line[index] == UInt8(ascii: ",") {
            ranges.append(line.trimmed(start..<index))
            start = index + 1
        }
        ranges.append(line.trimmed(start..<end))
    }
}

/// Where the columns are, by their names in the first line.
struct CSVColumns<Name: Hashable & Sendable>: Sendable {
    private var places: [Name: Int] = [:]

    init(_ places: [Name: Int]) {
        self.places = places
    }

    /// Finds the columns in a line of names.
    ///
    /// - Parameter named: The column of a name in lower case, if it is known.
    init(_ line: Span<UInt8>, _ fields: CSVFields, named: (String) -> Name?) {
        for index in 0..<fields.count {
            let name = line.extracting(fields[index]).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
            let words = name.lowercased().drop { $0 == "#" || $0 == " " || $0 == "'" || $0 == "\u{FEFF}" }
            guard let column = named(String(words)), places[column] == nil else { continue }
            places[column] = index
        }
    }

    /// The place of a column; one behind all others if there is none.
    func place(_ name: Name) -> Int { places[name] ?? .max }

    func has(_ name: Name) -> Bool { places[name] != nil }
}

extension Span where Element == UInt8 {
    /// Whether a line may be skipped: it is blank, or begins with `#`.
    var isBlankOrComment: Bool {
        let start = skippingBlanks(from: 0, to: contentEnd)
        return start == contentEnd || self[start] == UInt8(ascii: "#")
    }
}
