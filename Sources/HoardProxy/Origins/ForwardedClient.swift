// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import NIOCore

/// The client of a forwarded request, as servers are told of it: `Forwarded`
/// ([RFC 7239](https://www.rfc-editor.org/rfc/rfc7239)), `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host`; and `Client-Cert`
/// ([RFC 9440](https://www.rfc-editor.org/rfc/rfc9440)) for one that has proved its identity.
///
/// The proxy drops such fields of the client itself, since no trusted party vouches for them: a server that trusts the first address of a list would believe
/// whatever a client writes.
///
/// The client's address must not come between the cache and its entries. So the cache never sees `Forwarded`, `X-Forwarded-For` and `Client-Cert`: the proxy
/// adds them behind it, and a response that depends on them is for no other client (`Vary: *`). The cache sees protocol and host, which have few values and
/// may select a response, such as a redirection to `https`.
package struct ForwardedClient: Hashable, Sendable {
    /// The client's IP address. Anything else, such as nothing for a client on a Unix socket, is told as `unknown`.
    package let address: String
    /// `http` or `https`.
    package let scheme: String
    /// The host that the client asked for, with its port if there was one. `nil`: it is not told.
    package let host: String?
    /// The certificate by which the client has proved its identity, in Base64. `nil`: it has shown none.
    package let certificate: String?

    init(address: String, scheme: String, host: String?, certificate: String? = nil) {
        self.address = address
        self.scheme = scheme
        self.host = host
        self.certificate = certificate
    }

    /// Takes out the fields in which a client describes itself or others in front of it, and puts in those that the
    /// cache may see.
    ///
    /// - Parameters:
    ///   - client: `nil` if servers are not told of clients.
    ///   - written: Other fields that the proxy has written.
    static func replaceFields(of request: inout HTTPRequest, with client: ForwardedClient?, written: [HTTPField.Name] = []) {
        if request.headerFields.contains(where: { $0.name.isForwarding }) {
            request.headerFields = HTTPFields(request.headerFields.filter { !$0.name.isForwarding })
        }
        if request.headerFields.contains(.connection) { keepConnectionOptionsOffFields(of: &request, written) }
        guard let client else { return }
        request.headerFields.append(HTTPField(name: .xForwardedProto, value: client.scheme))
        if let host = client.host { request.headerFields.append(HTTPField(name: .xForwardedHost, value: host)) }
    }

    /// Takes the names of fields that the proxy writes out of `Connection`, by which a client would have them removed again.
    ///
    /// The response would be chosen by the fields and be asked for without them: one client would decide the response
    /// for all others.
    private static func keepConnectionOptionsOffFields(of request: inout HTTPRequest, _ written: [HTTPField.Name]) {
        var fields = HTTPFields()
        fields.reserveCapacity(request.headerFields.count)
        for field in request.headerFields {
            guard field.name == .connection else {
                fields.append(field)
                continue
            }
            let options = field.value.split(separator: ",")
            let kept = options.filter { option in
                let name = HTTPField.Name(String(option.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }))
                return name.map { !$0.isForwarding && $0 != .via && !written.contains($0) } ?? true
            }
            var changed = field
            if kept.count < options.count { changed.value = kept.joined(separator: ",") }
            if !kept.isEmpty { fields.append(changed) }
        }
        request.headerFields = fields
    }

    /// Adds the fields that the cache must not see.
    func addFields(to request: inout HTTPRequest) {
        request.headerFields[.forwarded] = forwarded
        request.headerFields[.xForwardedFor] = node.plain
        if let certificate { request.headerFields[.clientCert] = ":\(certificate):" }
    }

    /// A list member of `Forwarded`: [RFC 7239 §4](https://www.rfc-editor.org/rfc/rfc7239#section-4).
    var forwarded: String {
        var text = "for=\(node.quoted);proto=\(scheme)"
        if let host { text += ";host=\(Self.quotedIfNeeded(host))" }
        return text
    }

    /// A node identifier: [RFC 7239 §6](https://www.rfc-editor.org/rfc/rfc7239#section-6).
    private var node: (plain: String, quoted: String) {
        // Without the zone of a link-local address, which means nothing elsewhere.
        let address = String(address.prefix { $0 != "%" })
        switch try? SocketAddress(ipAddress: address, port: 0) {
        case .v4:
            return (address, address)
        case .v6:
            let mapped = "::ffff:"
            if address.lowercased().hasPrefix(mapped), case .v4? = try? SocketAddress(ipAddress: String(address.dropFirst(mapped.count)), port: 0) {
                let address = String(address.dropFirst(mapped.count))
                return (address, address)
            }
            return (address.lowercased(), "\"[\(address.lowercased())]\"")
        case .unixDomainSocket, nil:
            return ("unknown", "unknown")
        }
    }

    /// A token, or a quoted string: [RFC 9110 §5.6.4](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.4).
    private static func quotedIfNeeded(_ text: String) -> String {
        if HTTPField.Name(text) != nil { return text }
        let escaped = text.reduce(into: "") { result, character in
            if character == "\"" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return "\"\(escaped)\""
    }

    /// Marks a response that depends on fields that the cache has not seen as one for this client only.
    static func confine(_ response: inout HTTPResponse) {
        guard let vary = response.headerFields[.vary] else { return }
        let dependsOnClient = vary.split(separator: ",").contains { member in
            let name = member.trimmingPrefix { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased()
            return name == "forwarded" || name == "x-forwarded-for" || name == "client-cert"
        }
        if dependsOnClient { response.headerFields[.vary] = "*" }
    }
}

extension HTTPField.Name {
    static let forwarded = Self.constant("Forwarded")
    static let xForwardedFor = Self.constant("X-Forwarded-For")
    static let xForwardedProto = Self.constant("X-Forwarded-Proto")
    static let xForwardedHost = Self.constant("X-Forwarded-Host")
    /// [RFC 9440 §2.2](https://www.rfc-editor.org/rfc/rfc9440#section-2.2)
    static let clientCert = Self.constant("Client-Cert")

    /// Whether proxies tell of clients in it: also `X-Forwarded-Port` and `Client-Cert-Chain`, which are not told here.
    var isForwarding: Bool {
        canonicalName == "forwarded" || canonicalName.hasPrefix("x-forwarded-") || canonicalName == "client-cert"
            || canonicalName == "client-cert-chain"
    }

    /// Makes a name from a literal; a literal that is no field name is a mistake where it stands.
    static func constant(_ name: String) -> Self {
        guard let name = Self(name) else { preconditionFailure("\(name) is not a field name") }
        return name
    }
}
