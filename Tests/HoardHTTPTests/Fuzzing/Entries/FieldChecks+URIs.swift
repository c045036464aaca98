// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTPTestSupport

@testable import HoardHTTP
@testable import HoardMessages

extension FieldChecks {
    /// The normal form of a URI is normal, names the same origin, and holds nothing that could be read otherwise.
    static func checkURIs(_ input: FuzzInput) throws {
        guard let base = TargetURI(URIReference("http://example.com/a/b?c")) else { throw FuzzFinding(description: "The base is no URI.") }
        for line in input.lines {
            let text = String(decoding: line, as: UTF8.self)
            let reference = URIReference(text)
            try require(URIReference(reference.description) == reference, "\(reference) is taken apart in two ways.")
            let path = URIReference.removingDotSegments(text)
            try require(URIReference.removingDotSegments(path) == path, "\(path) still has dot segments.")
            for target in [TargetURI(reference), base.resolving(text), TargetURI(request(scheme: "http", text)), authority(text)] {
                if let target { try checkTarget(target) }
            }
            let invalidated = Invalidation.uris(
                after: HTTPResponse(status: .ok, headerFields: HTTPFields(HTTPField(name: .location, lenientValue: line))),
                to: HTTPRequest(method: .post, scheme: "http", authority: "example.com", path: "/a", headerFields: [:])
            )
            for uri in invalidated { try require(uri.hasPrefix("http://example.com/"), "\(uri) of another origin is invalidated.") }
        }
    }

    private static func request(scheme: String, _ path: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: scheme, authority: "example.com", path: path, headerFields: [:])
    }

    private static func authority(_ text: String) -> TargetURI? {
        TargetURI(HTTPRequest(method: .get, scheme: "https", authority: text, path: "/", headerFields: [:]))
    }

    private static func checkTarget(_ target: TargetURI) throws {
        let text = target.description
        try require(TargetURI.normalized(text) == text, "\(text) is not in normal form.")
        try require(text.utf8.allSatisfy { (0x21..<0x7F).contains($0) }, "\(text) is not printable.")
        try require(!target.host.isEmpty && !target.host.contains { "/?#@\\".contains($0) }, "The host is \(target.host).")
        try require(target.path.hasPrefix("/"), "The path is \(target.path).")
        let segments = target.path.split(separator: "/", omittingEmptySubsequences: false)
        try require(!segments.contains(".") && !segments.contains(".."), "\(target.path) has dot segments.")
        // Behind a percent sign that encodes nothing, a character that could give it a meaning stays encoded.
        let bytes = Array(target.path.utf8)
        let hasOnlyEscapes = bytes.indices.allSatisfy { index in
            bytes[index] != .percent || index + 2 < bytes.count && bytes[index + 1].hexDigitValue != nil && bytes[index + 2].hexDigitValue != nil
        }
        if hasOnlyEscapes {
            try require(!target.path.contains("%2E") && !target.path.contains("%41"), "\(target.path) has letters or dots in disguise.")
        }
        try require(target.hasSameOrigin(as: target), "\(text) is not of its own origin.")
        let sent = HTTPRequest(
            method: .get,
            scheme: target.scheme,
            authority: target.authority,
            path: target.query.map { "\(target.path)?\($0)" } ?? target.path,
            headerFields: [:]
        )
        try require(TargetURI(sent) == target, "\(text) is forwarded as another URI.")
    }
}
