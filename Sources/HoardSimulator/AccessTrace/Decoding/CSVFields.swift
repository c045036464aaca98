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

/// The columns of a format, in an order of its own.
protocol CSVColumn: RawRepresentable<Int>, CaseIterable, Hashable, Sendable {
    /// The names of all columns, in lower case and in the order of the cases.
    static var names: [String] { get }
}

extension CSVColumn {
    /// The column with a name in lower case.
    init?(named name: String) {
        guard let number = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: number)
    }
}

/// The values of lines by their columns, which a first line of names may have put into another order.
struct CSVTable<Column: CSVColumn> {
    private var fields = CSVFields()
    /// The place of each column, in the order of the cases; empty before the first line.
    private var places: [Int] = []

    /// Finds the values of a line.
    ///
    /// - Parameters:
    ///   - areNames: Whether the first line, if it has these columns, is one of names.
    ///   - usual: The columns of a line of so many values, if the first line has no names.
    /// - Returns: `false` for the line of names.
    mutating func read(_ line: Span<UInt8>, areNames: (CSVColumns<Column>) -> Bool, usual: (Int) -> CSVColumns<Column>) -> Bool {
        fields.split(line)
        guard places.isEmpty else { return true }
        let named = CSVColumns(line, fields, named: Column.init(named:))
        let isNamed = areNames(named)
        places = Column.allCases.map(isNamed ? named.place : usual(fields.count).place)
        return !isNamed
    }

    /// The value of a column of the line; empty if there is none.
    subscript(column: Column) -> Range<Int> { fields[places[column.rawValue]] }
}

extension Span where Element == UInt8 {
    /// Whether a line may be skipped: it is blank, or begins with `#`.
    var isBlankOrComment: Bool {
        let start = skippingBlanks(from: 0, to: contentEnd)
        return start == contentEnd || self[start] == UInt8(ascii: "#")
    }
}
