// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// The host and port of the URIs of responses.
///
/// Clients write any name into `Host`, or `:authority`. A server that answers to any name stores a response under each
/// name that a client invents, unless it is told which names count.
public struct HTTPCacheAuthority: Sendable {
    enum Rule: Sendable {
        case ofRequest
        case canonical(String)
        case oneOf(Set<String>)
    }

    let rule: Rule

    /// That of the request. For servers behind something that refuses names that are not theirs.
    public static let ofRequest = Self(rule: .ofRequest)

    /// Always this one, whatever the request says. The handlers see it too, so that none of their responses can depend
    /// on the client's text.
    ///
    /// - Parameter authority: `example.com`, or with a port that is not the scheme's default `example.com:8080`.
    /// - Throws: ``HTTPCacheOptionError/Code/invalidAuthority``.
    public static func canonical(_ authority: String) throws(HTTPCacheOptionError) -> Self {
        Self(rule: .canonical(try checked(authority)))
    }

    /// That of the request if it is one of these. Requests that name another one go past the cache.
    ///
    /// - Throws: ``HTTPCacheOptionError/Code/invalidAuthority``.
    public static func oneOf(_ authorities: some Sequence<String>) throws(HTTPCacheOptionError) -> Self {
        var known: Set<String> = []
        for authority in authorities {
            // The scheme, whose default port is left away, is that of each request.
            known.insert(try checked(authority))
            known.insert(try checked(authority, scheme: "https"))
        }
        return Self(rule: .oneOf(known))
    }

    private static func checked(_ authority: String, scheme: String = "http") throws(HTTPCacheOptionError) -> String {
        guard let target = TargetURI(HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")) else {
            throw HTTPCacheOptionError(
                code: .invalidAuthority,
                message: "“\(authority)” is not a host with or without a port, such as example.com:8080."
            )
        }
        return target.authority
    }
}

/// The scheme of the URIs of responses.
public struct HTTPCacheScheme: Sendable {
    enum Rule: Sendable {
        case ofRequest
        case fixed(String)
        case forwarded
    }

    let rule: Rule

    /// That of the request. Over HTTP/1.1 Hummingbird says `http` also of requests that have come through TLS.
    public static let ofRequest = Self(rule: .ofRequest)
    /// Always `http`.
    public static let http = Self(rule: .fixed("http"))
    /// Always `https`: for servers behind a proxy that ends TLS, and for such as do so themselves.
    public static let https = Self(rule: .fixed("https"))
    /// The value of `X-Forwarded-Proto`, if it is `http` or `https`, else the scheme of the request. Only for servers behind a proxy that sets the field itself.
    public static let forwarded = Self(rule: .forwarded)
}
