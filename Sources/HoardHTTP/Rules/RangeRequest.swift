// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The parts of a representation that a request asks for: the `Range` field, in bytes.
///
/// [RFC 9110 §14.1.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2), [§14.2](https://www.rfc-editor.org/rfc/rfc9110#section-14.2)
package struct RangeRequest: Hashable, Sendable {
    /// One part. No number is negative; those too large to hold count as the largest one.
    package enum Part: Hashable, Sendable {
        /// From this byte on, through the byte `last` or to the end. `last` is not before `first`.
        case from(_ first: Int, last: Int?)
        /// That many bytes at the end.
        case suffix(Int)
    }

    /// The meaning of a request for a representation whose length is known.
    package enum Resolution: Hashable, Sendable {
        /// The bytes to send: 206, with several parts if there are several ranges. Never empty, no range is empty, none overlap.
        case satisfiable([Range<Int>])
        /// Not one byte can be sent: 416.
        case unsatisfiable
        /// The field has no effect: the answer is the whole. So it is if the end of nothing is asked for, which 206 cannot express.
        case ignored
    }

    /// A field with more parts is ignored: [RFC 9110 §17.15](https://www.rfc-editor.org/rfc/rfc9110#section-17.15).
    package static let maximumParts = 100

    /// Ranges with smaller gaps than this are sent as one, as two would take more bytes:
    /// [RFC 9110 §15.3.7.2](https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7.2).
    package static let smallestGap = 80

    /// In the order of the request. Never empty.
    package let parts: [Part]

    package init(_ part: Part) {
        parts = [part]
    }

    /// Reads the field of a request.
    ///
    /// - Returns: `nil` if the field has no effect, and the answer is the whole: it is absent, malformed, in another unit than bytes, contradicts
    ///   itself, or has more parts than ``maximumParts``.
    package init?(_ requestFields: HTTPFields) {
        guard let line = requestFields.singleLine(of: .range) else { return nil }
        let unit = line.prefix { $0.isTokenCharacter }
        guard unit.lowercasedEquals(Array("bytes".utf8)), line[unit.endIndex...].first == .equalsSign else { return nil }
        var parts: [Part] = []
        for member in line[(unit.endIndex + 1)...].split(separator: .comma) {
            let bytes = member.trimmed
            if bytes.isEmpty { continue }
            guard let part = Part(bytes), parts.count < Self.maximumParts else { return nil }
            parts.append(part)
        }
        guard !parts.isEmpty else { return nil }
        self.parts = parts
    }

    /// Returns the meaning of the request for a representation of `completeLength` bytes.
    ///
    /// Ranges that overlap, touch or nearly touch become one, so that no byte is sent twice and no request makes the answer much longer than the
    /// whole. A range stands where the first of those it is made of stood. Complexity: O(*n* log *n*) in the number of parts.
    package func resolved(completeLength: Int) -> Resolution {
        let ranges = parts.compactMap { $0.range(completeLength: completeLength) }
        if !ranges.isEmpty { return .satisfiable(Self.coalescing(ranges)) }
        return completeLength <= 0 && parts.contains { $0.isNonemptySuffix } ? .ignored : .unsatisfiable
    }

    /// Returns the ranges for a representation of unknown length; `nil` if a part depends on where the end is.
    package func resolvedWithoutLength() -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        for part in parts {
            guard case .from(let first, let last?) = part, last < .max else { return nil }
            ranges.append(first..<(last + 1))
        }
        return Self.coalescing(ranges)
    }

    /// The value of a `Range` field that asks for the same.
    package var fieldValue: String {
        "bytes=" + parts.map(\.description).joined(separator: ", ")
    }

    private static func coalescing(_ ranges: [Range<Int>]) -> [Range<Int>] {
        guard ranges.count > 1 else { return ranges }
        var merged: [(place: Int, range: Range<Int>)] = []
        for (place, range) in ranges.enumerated().sorted(by: { $0.element.lowerBound < $1.element.lowerBound }) {
            if let last = merged.last, range.lowerBound < last.range.upperBound || range.lowerBound - last.range.upperBound < smallestGap {
                merged[merged.count - 1] = (min(last.place, place), last.range.lowerBound..<max(last.range.upperBound, range.upperBound))
            } else {
                merged.append((place, range))
            }
        }
        return merged.sorted { $0.place < $1.place }.map(\.range)
    }
}

extension RangeRequest.Part {
    /// `0-499`, `500-` or `-500`
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard let hyphen = bytes.firstIndex(of: .hyphen) else { return nil }
        let (before, after) = (bytes[..<hyphen], bytes[(hyphen + 1)...])
        if before.isEmpty {
            guard let length = Int(saturatingDigits: after) else { return nil }
            self = .suffix(length)
            return
        }
        guard let first = Int(saturatingDigits: before) else { return nil }
        if after.isEmpty {
            self = .from(first, last: nil)
            return
        }
        guard let last = Int(saturatingDigits: after), first <= last else { return nil }
        self = .from(first, last: last)
    }

    /// The bytes meant, if there are any.
    fileprivate func range(completeLength: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            guard first < completeLength else { return nil }
            return first..<min(last ?? .max, completeLength - 1) + 1
        case .suffix(let length):
            guard length > 0, completeLength > 0 else { return nil }
            return (completeLength - min(length, completeLength))..<completeLength
        }
    }

    fileprivate var isNonemptySuffix: Bool {
        if case .suffix(let length) = self { length > 0 } else { false }
    }
}

extension RangeRequest.Part: CustomStringConvertible {
    package var description: String {
        switch self {
        case .from(let first, let last): "\(first)-\(last.map(String.init) ?? "")"
        case .suffix(let length): "-\(length)"
        }
    }
}
