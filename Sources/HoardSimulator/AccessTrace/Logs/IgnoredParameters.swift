// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Parameters of queries that do not tell objects apart, as ``TraceRules/ignoredParameters`` names them.
struct IgnoredParameters {
    private var names: Set<[UInt8]> = []
    private var beginnings: [[UInt8]] = []

    init(_ patterns: [String]) {
        for pattern in patterns {
            if pattern.hasSuffix("*") { beginnings.append(Array(pattern.utf8.dropLast())) } else { names.insert(Array(pattern.utf8)) }
        }
    }

    var isEmpty: Bool { names.isEmpty && beginnings.isEmpty }

    /// Appends the other parameters of a query, in their order, with `?` before the first and `&` before each of the others.
    func appendOthers(of bytes: Span<UInt8>, _ query: Range<Int>, to target: inout [UInt8]) {
        var separator = UInt8(ascii: "?")
        Self.forEachParameter(of: bytes, query) { parameter, nameEnd in
            guard !contains(bytes, parameter.lowerBound..<nameEnd) else { return }
            target.append(separator)
            separator = UInt8(ascii: "&")
            bytes.append(parameter, to: &target)
        }
    }

    private func contains(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        if beginnings.contains(where: { bytes.starts(name, with: $0) }) { return true }
        guard !names.isEmpty else { return false }
        var copy: [UInt8] = []
        bytes.append(name, to: &copy)
        return names.contains(copy)
    }

    /// Names the parameters of a query: the range of each, and where its name ends. Empty ones are left out.
    static func forEachParameter(of bytes: Span<UInt8>, _ query: Range<Int>, _ body: (Range<Int>, Int) -> Void) {
        var start = query.lowerBound
        while start < query.upperBound {
            let end = bytes.firstIndex(of: UInt8(ascii: "&"), from: start, to: query.upperBound) ?? query.upperBound
            if end > start { body(start..<end, bytes.firstIndex(of: UInt8(ascii: "="), from: start, to: end) ?? end) }
            start = end + 1
        }
    }
}
