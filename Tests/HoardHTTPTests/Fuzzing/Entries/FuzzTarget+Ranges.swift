// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport
import NIOCore

@testable import HoardHTTP

extension FuzzTarget {
    /// Eight bytes of a length, then `Range` and `Content-Range`, a line each.
    package static let ranges = FuzzTarget(name: "ranges") { bytes in
        var input = FuzzInput(bytes)
        // Mostly lengths that bodies have, but also the largest there are.
        let number = input.number()
        let length = Int(number % 5 == 0 ? number : number % 5_000)
        let lines = input.lines
        try checkRange(HTTPField(name: .range, lenientValue: lines[0]), length: length)
        for line in lines.dropFirst() { try checkContentRange(HTTPField(name: .contentRange, lenientValue: line)) }
    }

    private static func checkRange(_ field: HTTPField, length: Int) throws {
        guard let request = RangeRequest(HTTPFields(field)) else { return }
        try require((1...RangeRequest.maximumParts).contains(request.parts.count), "A request has \(request.parts.count) parts.")
        try require(
            RangeRequest(HTTPFields(HTTPField(name: .range, value: request.fieldValue))) == request,
            "\(request.fieldValue) asks for something else."
        )
        if let ranges = request.resolvedWithoutLength() { try checkRanges(ranges, within: .max) }
        switch request.resolved(completeLength: length) {
        case .satisfiable(let ranges):
            try checkRanges(ranges, within: length)
            try checkMultipart(ranges, completeLength: length)
        case .unsatisfiable:
            // Every part begins behind the end, or asks for nothing.
            for case .from(let first, _) in request.parts { try require(first >= length, "\(first) lies within \(length) bytes.") }
        case .ignored:
            try require(length == 0, "A range is ignored although there are \(length) bytes.")
        }
    }

    /// No byte is sent twice, none from outside.
    private static func checkRanges(_ ranges: [Range<Int>], within length: Int) throws {
        try require(!ranges.isEmpty, "There are no ranges.")
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        for range in sorted {
            try require(range.lowerBound >= 0 && range.upperBound <= length && !range.isEmpty, "\(range) is not within \(length).")
        }
        for (range, next) in zip(sorted, sorted.dropFirst()) {
            try require(range.upperBound < next.lowerBound, "\(range) and \(next) overlap or touch.")
        }
    }

    private static func checkMultipart(_ ranges: [Range<Int>], completeLength: Int) throws {
        guard ranges.count > 1, completeLength < 1 << 40 else { return }
        let parts = MultipartByteRanges(ranges: ranges, boundary: "b", contentType: nil, completeLength: completeLength)
        let overhead = parts.length - ranges.reduce(0) { $0 + $1.count }
        try require(overhead > 0 && overhead <= 128 * (ranges.count + 1), "The parts take \(overhead) bytes beyond the content.")
        for (index, range) in ranges.enumerated() {
            let value = ContentRange.fieldValue(range, completeLength: completeLength)
            let header = String(buffer: parts.partHeader(index))
            try require(header.hasSuffix("Content-Range: \(value)\r\n\r\n"), "A part begins with \(header).")
            let read = ContentRange(HTTPFields(HTTPField(name: .contentRange, value: value)))
            try require(read?.range == range && read?.completeLength == completeLength, "\(value) is read as something else.")
        }
    }

    private static func checkContentRange(_ field: HTTPField) throws {
        guard let place = ContentRange(HTTPFields(field)) else { return }
        if let length = place.completeLength { try require(length >= 0, "The length is \(length).") }
        guard let range = place.range else { return try require(place.completeLength != nil, "The field says nothing.") }
        try require(range.lowerBound >= 0 && !range.isEmpty, "The range is \(range).")
        try require(range.upperBound <= place.completeLength ?? .max, "\(range) is not within the whole.")
        let value = ContentRange.fieldValue(range, completeLength: place.completeLength)
        try require(ContentRange(HTTPFields(HTTPField(name: .contentRange, value: value))) == place, "\(value) is read as something else.")
    }
}
