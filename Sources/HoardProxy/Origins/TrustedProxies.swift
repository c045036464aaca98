// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP
internal import HoardNIO
internal import NIOCore

/// The proxies in front of this one whose word about clients is taken: `Forwarded` ([RFC 7239](https://www.rfc-editor.org/rfc/rfc7239)) and
/// `X-Forwarded-For`.
///
/// Each proxy appends the address it was asked from. So lists are read from their end: as long as an address is a trusted proxy's, the one before it counts.
/// Reading ends at the first address that is not a trusted proxy's or cannot be read. Any client can have written the text before that one.
struct TrustedProxies: Sendable {
    /// The sender of a request.
    struct Client: Hashable, Sendable {
        var address: String
        /// `http` or `https`.
        var scheme: String
        /// Whether that is certain. If not, trusted proxies contradict each other, or do not know, and the address is a
        /// proxy's.
        var isSettled = true
    }

    private let networks: [IPNetwork]

    init(_ networks: [IPNetwork]) {
        self.networks = networks
    }

    func trusts(_ address: String) -> Bool {
        !networks.isEmpty && networks.contains { $0.contains(address) }
    }

    /// The client of a request.
    ///
    /// If both fields are there and name different clients, one of them may be the client's own invention that the proxy has passed on, so none is believed.
    ///
    /// - Parameters:
    ///   - peer: Whom the connection is to, and by which scheme.
    ///   - fields: The fields of the request; not asked for if the peer is not trusted.
    func client(behind peer: Client, _ fields: () -> HTTPFields) -> Client {
        guard trusts(peer.address) else { return peer }
        let fields = fields()
        let elements = ForwardedElement.list(in: fields)
        let simple = Self.members(of: fields, .xForwardedFor).lazy.map { ForwardedElement.address(inNode: $0) }
        var client = peer
        let forwarded = elements.isEmpty ? nil : last(elements.lazy.map(\.address), behind: peer.address)
        let plain = simple.isEmpty ? nil : last(simple, behind: peer.address)
        switch (forwarded, plain) {
        case (let forwarded?, let plain?):
            if IPNetwork.bytes(of: forwarded.address) == IPNetwork.bytes(of: plain.address) {
                client.address = forwarded.address
                client.isSettled = forwarded.isKnown && plain.isKnown
            } else {
                client.isSettled = false
            }
        case (let found?, nil), (nil, let found?): (client.address, client.isSettled) = (found.address, found.isKnown)
        case (nil, nil): break
        }
        let schemes = [elements.last?.scheme, Self.members(of: fields, .xForwardedProto).last?.lowercased()].compactMap { $0 }
        if let scheme = schemes.first, schemes.allSatisfy({ $0 == scheme }), scheme == "http" || scheme == "https" { client.scheme = scheme }
        return client
    }

    /// The client of a request to the server.
    func client(of request: HTTPServerRequest) -> Client {
        client(behind: .init(address: request.remoteAddress, scheme: request.head.scheme ?? "http")) { request.head.headerFields }
    }

    /// Reads no more addresses than it has to: a client may have written any number of them in front.
    ///
    /// - Returns: The address, and whether it is the client's. It is a proxy's if the address from which that proxy was asked cannot be read.
    private func last(_ addresses: some BidirectionalCollection<String?>, behind peer: String) -> (address: String, isKnown: Bool) {
        var known = peer
        for address in addresses.reversed() {
            guard let address else { return (known, false) }
            known = address
            if !trusts(address) { return (address, true) }
        }
        return (known, true)
    }

    private static func members(of fields: HTTPFields, _ name: HTTPField.Name) -> some BidirectionalCollection<String> {
        fields[values: name].flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.lazy.map { member in
            String(member.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
        }
    }
}

/// An element of `Forwarded`, as far as it matters here: [RFC 7239 §4](https://www.rfc-editor.org/rfc/rfc7239#section-4).
struct ForwardedElement: Hashable {
    /// `nil`: unknown, hidden, or malformed.
    var address: String?
    var scheme: String?

    /// The elements of all fields. One that is malformed tells nothing, and neither do those before it.
    static func list(in fields: HTTPFields) -> some BidirectionalCollection<ForwardedElement> {
        fields[values: .forwarded].flatMap { parts(of: Substring($0), at: ",") }.lazy.map { ForwardedElement($0) }
    }

    private init(_ text: Substring) {
        // Behind a quote that is not closed, the client's words cannot be told from those that a proxy has appended to them.
        if Self.hasOpenQuote(text) { return }
        for pair in Self.parts(of: text, at: ";") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                (address, scheme) = (nil, nil)
                return
            }
            let value = Self.unquoted(Self.trimmed(sides[1]))
            switch Self.trimmed(sides[0]).lowercased() {
            case "for": address = Self.address(inNode: value)
            case "proto": scheme = value.lowercased()
            default: break
            }
        }
    }

    /// The address in `192.0.2.43`, `192.0.2.43:47011`, `[2001:db8::17]:4711` or, as in X-Forwarded-For, `2001:db8::17`; `nil` for anything else.
    static func address(inNode node: String) -> String? {
        var text = Substring(node)
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.split(separator: ":", omittingEmptySubsequences: false).count == 2, let colon = text.firstIndex(of: ":") {
            text = text[..<colon]
        }
        return IPNetwork.bytes(of: String(text)) == nil ? nil : String(text)
    }

    private static func hasOpenQuote(_ text: Substring) -> Bool {
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
        }
        return isQuoted
    }

    /// The parts between separators that are not in a quoted string.
    private static func parts(of text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var (start, isQuoted, isEscaped) = (text.startIndex, false, false)
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == separator, !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        return parts + [text[start...]]
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.trimmingPrefix { $0 == " " || $0 == "\t" }.reversed().trimmingPrefix { $0 == " " || $0 == "\t" }.reversed())
    }

    /// The content of a quoted string, or the text itself if it is none.
    private static func unquoted(_ text: String) -> String {
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return text }
        var (content, isEscaped) = ("", false)
        for character in text.dropFirst().dropLast() {
            if !isEscaped, character == "\\" {
                isEscaped = true
                continue
            }
            content.append(character)
            isEscaped = false
        }
        return content
    }
}

extension ExchangeReport.Request {
    /// The fields that tell of clients. O(*n*) in the bytes of the head.
    var forwardingFields: HTTPFields {
        switch self {
        case .head(let head): return head.headerFields
        case .invalid: return [:]
        case .bytes(let buffer):
            var fields = HTTPFields()
            buffer.withUnsafeReadableBytes { bytes in
                guard let scan = RequestHeadScan(bytes) else { return }
                scan.forEachField { name, value in
                    let known: HTTPField.Name? =
                        scan.isName(name, "forwarded") ? .forwarded : scan.isName(name, "x-forwarded-for") ? .xForwardedFor : nil
                    if let known { fields.append(HTTPField(name: known, value: String(decoding: scan[value], as: UTF8.self))) }
                    return true
                }
            }
            return fields
        }
    }
}
