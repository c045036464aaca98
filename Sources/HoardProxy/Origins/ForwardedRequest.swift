// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// A client's request as it goes to the origin.
enum ForwardedRequest {
    /// The request with the origin of its route as its target, and this proxy in `Via` (RFC 9110 §7.6.3).
    ///
    /// Fields that concern only the client's connection are still there: the cache judges by them and removes them when it forwards.
    /// - Parameters:
    ///   - version: The version of HTTP the client speaks, such as `1.1`.
    ///   - name: Names the proxy in `Via`.
    ///   - authority: The host that the server is asked for; `nil`: its own.
    ///   - client: The client that servers are told of; `nil`: they are told of none. The client's own `Forwarded` and
    ///     the like are taken out.
    ///   - written: Fields that rules have written, which a client cannot have taken out by naming them in `Connection`.
    ///   - ruled: These, and fields that rules have taken out.
    ///   - passesUnderscores: Whether fields with underscores in their names stay, as far as none of ours could be read in them.
    static func make(
        from request: HTTPRequest,
        to origin: Origin,
        authority: String? = nil,
        version: String,
        name: String,
        client: ForwardedClient? = nil,
        written: [HTTPField.Name] = [],
        ruled: [HTTPField.Name] = [],
        passesUnderscores: Bool = false
    ) -> HTTPRequest {
        var forwarded = request
        dropUnderscores(from: &forwarded, passesOthers: passesUnderscores, ruled: ruled)
        ForwardedClient.replaceFields(of: &forwarded, with: client, written: written)
        forwarded.scheme = origin.scheme
        forwarded.authority = authority ?? origin.authority
        forwarded.path = path(request.path ?? "/", below: origin.basePath)
        forwarded.headerFields[.expect] = nil
        forwarded.headerFields.append(HTTPField(name: .via, value: "\(version) \(name)"))
        return forwarded
    }

    /// A client's path and query below an origin's base path.
    ///
    /// The path alone is brought into normal form first, so that no `..` in any spelling leads out of the base path.
    static func path(_ target: String, below basePath: String) -> String {
        guard !basePath.isEmpty else { return target }
        let end = target.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? target.endIndex
        let path = target[..<end].utf8.first == UInt8(ascii: "/") ? String(target[..<end]) : "/\(target[..<end])"
        return basePath + RoutePath.normalized(path) + target[end...]
    }

    /// The step that `Max-Forwards` asks of a proxy (RFC 9110 §7.6.2).
    enum Hop: Equatable {
        case forward
        /// The request has come far enough: answer it here.
        case answer
    }

    /// Counts this hop, where the method knows `Max-Forwards`. A value that is no number is ignored.
    static func countHop(_ request: inout HTTPRequest) -> Hop {
        // "*" asks about the server that was addressed, which is this one.
        if request.path == "*" { return .answer }
        guard request.method == .options || request.method == .trace,
            let value = request.headerFields[.maxForwards], value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let hopsLeft = UInt32(value)
        else { return .forward }
        guard hopsLeft > 0 else { return .answer }
        request.headerFields[.maxForwards] = String(hopsLeft - 1)
        return .forward
    }
}
