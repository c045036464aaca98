// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardMessages

/// The validators of a plain head: see ``Validators``.
struct PlainValidators {
    private(set) var eTag: UnsafeRawBufferPointer?
    private(set) var lastModified: UnsafeRawBufferPointer?

    /// - Returns: `nil` if one of them is empty, or comes more than once.
    init?(_ lines: PlainLines) {
        for line in lines {
            if line.isNamed("etag") {
                guard eTag == nil, !line.value.isEmpty else { return nil }
                eTag = line.value
            } else if line.isNamed("last-modified") {
                guard lastModified == nil, !line.value.isEmpty else { return nil }
                lastModified = line.value
            }
        }
    }

    /// The fields that make a request conditional on these validators: whole lines.
    ///
    /// [RFC 9111 §4.3.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.3.1)
    var conditions: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity((eTag?.count ?? 0) + (lastModified?.count ?? 0) + 40)
        for (name, value) in [("If-None-Match: ", eTag), ("If-Modified-Since: ", lastModified)] {
            guard let value else { continue }
            bytes += name.utf8
            bytes += value
            bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        }
        return bytes
    }

    /// Whether a 304 with `other` is clearly about the response with these: ``NotModifiedResponse/confirms(_:)``.
    func areConfirmed(by other: Self) -> Bool {
        if let tag = other.eTag { return eTag.map { $0.elementsEqual(tag) } ?? false }
        guard let lastModified, let date = other.lastModified else { return true }
        return lastModified.elementsEqual(date)
    }
}

extension Validators {
    init(_ plain: PlainValidators) {
        self.init(eTag: plain.eTag.map { [UInt8]($0) }, lastModified: plain.lastModified.map { [UInt8]($0) })
    }
}

extension WireHead {
    /// The head with the fields of a 304 in place of its own: see ``HTTPTypes/HTTPResponse/updated(with:rules:)``.
    ///
    /// - Returns: `nil` if that takes more than to replace lines, or the 304 or the result has very many.
    /// - Complexity: O(*n* × *m*) in the lines of both.
    func updated(with notModified: PlainResponseHead) -> (bytes: [UInt8], fieldCount: Int)? {
        guard notModified.fieldCount <= Self.maximumComparedCount else { return nil }
        var update: [PlainLines.Line] = []
        update.reserveCapacity(notModified.fieldCount)
        var hasDate = false
        for line in notModified.lines {
            if line.isNamed("content-length") || line.isNamed("content-encoding") || line.isNamed("content-digest") { continue }
            // Age has no place in this form; a directive in quotes may name fields that are not stored.
            if line.isNamed("age") || line.isNamed("hoard-policy") || line.isDirectives && line.value.contains(.doubleQuote) { return nil }
            hasDate = hasDate || line.isNamed("date")
            update.append(line)
        }
        guard hasDate, isSentWhole else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount + notModified.bytes.count)
        bytes += statusLine
        var count = update.count
        withLines { lines in
            for line in lines where !update.contains(where: { $0.hasName(of: line) }) {
                bytes += line.bytes
                count += 1
            }
        }
        for line in update { bytes += line.bytes }
        // An origin could add some with each confirmation.
        return count <= StoredResponse.maximumFieldCount ? (bytes, count) : nil
    }

    /// The most lines of which each is compared with all others.
    private static let maximumComparedCount = 128

    /// Whether both have the same status and, in any order, the same lines, except those that tell times. `false` if there are very many.
    ///
    /// - Complexity: O(*n* × *m*) in the lines of both.
    func isEqualExceptForTimes(to other: WireHead) -> Bool {
        guard statusLine == other.statusLine else { return false }
        return withLines { mine in
            other.withLines { others in
                let (mine, others) = (mine.filter { !$0.tellsTime }, others.filter { !$0.tellsTime })
                func count(_ line: PlainLines.Line, in lines: [PlainLines.Line]) -> Int {
                    lines.reduce(0) { $0 + ($1.bytes.elementsEqual(line.bytes) ? 1 : 0) }
                }
                guard mine.count == others.count, mine.count <= Self.maximumComparedCount else { return false }
                return mine.allSatisfy { count($0, in: mine) == count($0, in: others) }
            }
        }
    }
}

extension StoredResponse {
    /// Whether both have the same status, fields, content and trailers, except for the fields that tell times. O(*n*) in the bytes of both.
    ///
    /// The additions of the owner's policy are fields too.
    func isEqualExceptForTimes(to other: StoredResponse) -> Bool {
        guard statusCode == other.statusCode, trailers == other.trailers, body == other.body else { return false }
        if let mine = wireHead, let others = other.wireHead { return mine.isEqualExceptForTimes(to: others) }
        var (mine, others) = (head.headerFields, other.head.headerFields)
        for name in [HTTPField.Name.age, .date, .expires] { (mine[name], others[name]) = (nil, nil) }
        return mine == others
    }
}

extension PlainLines.Line {
    /// Whether it only says when the response was made, or until when it is fresh.
    fileprivate var tellsTime: Bool { isNamed("date") || isNamed("expires") }

    /// Whether it has directives for caches, be it for all or for some.
    fileprivate var isDirectives: Bool { name.suffix(7).elementsEqual("control".utf8) { $0.lowercased == $1 } }
}
