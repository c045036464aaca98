// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The parts of a URI or of a reference relative to one, without its fragment.
///
/// Every text can be taken apart; whether the parts mean anything is for ``TargetURI`` to say.
///
/// [RFC 3986](https://www.rfc-editor.org/rfc/rfc3986), sections 3 and 4 and appendix B
package struct URIReference: Hashable, Sendable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?

    package init(scheme: String? = nil, authority: String? = nil, path: String, query: String? = nil) {
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.query = query
    }

    /// Takes a text apart. Complexity: O(*n*).
    package init(_ text: String) {
        var rest = Substring(text).utf8
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[mark...].dropFirst()))
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(where: { !$0.isSchemeCharacter }), rest[colon] == UInt8(ascii: ":"), rest.first?.isLetter == true {
            scheme = String(Substring(rest[..<colon]))
            rest = rest[colon...].dropFirst()
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = String(Substring(rest[..<end]))
            rest = rest[end...]
        }
        path = String(Substring(rest))
    }

    /// The URI that this reference means where `base` is the URI of the message that holds it.
    ///
    /// [RFC 3986 §5.2.2](https://www.rfc-editor.org/rfc/rfc3986#section-5.2.2), the strict form. Complexity: O(*n*).
    package func resolved(against base: URIReference) -> URIReference {
        var target = self
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                    return target
                }
                if path.utf8.first != UInt8(ascii: "/") { target.path = base.merging(path) }
            }
        }
        target.path = Self.removingDotSegments(target.path)
        return target
    }

    /// [RFC 3986 §5.2.3](https://www.rfc-editor.org/rfc/rfc3986#section-5.2.3)
    private func merging(_ relativePath: String) -> String {
        if authority != nil, path.isEmpty { return "/" + relativePath }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return relativePath }
        return path[...slash] + relativePath
    }

    /// The path without the segments `.` and `..`.
    ///
    /// [RFC 3986 §5.2.4](https://www.rfc-editor.org/rfc/rfc3986#section-5.2.4). Complexity: O(*n*).
    package static func removingDotSegments(_ path: String) -> String {
        var output: [UInt8] = []
        var input = Substring(path).utf8
        while let first = input.first {
            if first != UInt8(ascii: "/") {
                // Only at the start: later segments keep the slash before them.
                let segment = input.prefix { $0 != UInt8(ascii: "/") }
                let isDots = segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8)
                input = input.dropFirst(segment.count + (isDots ? 1 : 0))
                if !isDots { output += segment }
                continue
            }
            let segment = input.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            let rest = input.dropFirst(1 + segment.count)
            switch true {
            case segment.elementsEqual("..".utf8):
                while let byte = output.popLast(), byte != UInt8(ascii: "/") {}
                if rest.isEmpty { output.append(UInt8(ascii: "/")) }
            case segment.elementsEqual(".".utf8):
                if rest.isEmpty { output.append(UInt8(ascii: "/")) }
            default:
                output.append(UInt8(ascii: "/"))
                output += segment
            }
            input = rest
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension URIReference: CustomStringConvertible {
    /// [RFC 3986 §5.3](https://www.rfc-editor.org/rfc/rfc3986#section-5.3)
    package var description: String {
        (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
    }
}

extension UInt8 {
    /// RFC 3986 §3.1.
    fileprivate var isSchemeCharacter: Bool {
        isLetter || isDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}
