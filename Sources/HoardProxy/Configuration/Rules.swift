// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension CachingProxy.Configuration {
    /// Rules for the requests and responses of a route, beyond caching.
    ///
    /// The rules apply in this order. The client is let in, or gets 403. A browser's preflight request for another site (CORS) is answered. The
    /// client is authenticated, or gets 401. ``answer`` is given. Path and fields of the request are changed, before the cache sees it. The fields of
    /// every response, including the proxy's own, are changed last, just before it is sent. The stored response has none of these changes.
    public struct Rules: Sendable, Hashable {
        /// The clients that may ask. Empty: all.
        public var allowedNetworks: [IPNetwork] = []
        /// The clients that may not, whether they are allowed or not.
        public var deniedNetworks: [IPNetwork] = []
        /// The credentials by which clients prove their identity. `nil`: they need none. Default: `nil`.
        public var authentication: Authentication?
        /// The answer to all requests. `nil`: the cache and the servers give it.
        public var answer: Answer?
        /// The path prefix for the servers, in place of the route's. `nil`: the same.
        public var replacedPath: String?
        /// The changes of fields of requests.
        public var requestFields = FieldRules()
        /// The changes of fields of responses.
        public var responseFields = FieldRules()
        /// Whether clients of HTTP/2 are told the links of a stored response (`preload`, `preconnect` and the like)
        /// while the origin is asked whether it still holds ([RFC 8297](https://www.rfc-editor.org/rfc/rfc8297)). Early
        /// hints of the origins themselves (status 103) are passed on in any case.
        public var sendsEarlyHints = false
        /// Whether responses get the usual fields by which browsers are told to be careful, where they have none themselves: `X-Content-Type-Options`,
        /// `X-Frame-Options`, `Referrer-Policy` and, over TLS, `Strict-Transport-Security` ([RFC 6797](https://www.rfc-editor.org/rfc/rfc6797)).
        public var addsSecurityFields = false
        /// Permissions for scripts of other sites ([Fetch §3.2](https://fetch.spec.whatwg.org/#http-cors-protocol)). `nil`: that is the servers' business.
        public var crossOrigin: CrossOrigin?
        /// A file with the content of responses that say that no server could be asked. `nil`: a line of text.
        public var errorPagePath: String?

        /// Creates rules that change nothing; set the properties afterwards.
        public init() {}

        /// Whether some requests are refused, so that it matters which paths servers take for one of the route.
        var protects: Bool {
            let refuses = if case .text(_, _, let status) = answer?.base { status >= 400 } else { false }
            return refuses || authentication != nil || !allowedNetworks.isEmpty || !deniedNetworks.isEmpty
        }
    }

    /// Names and passwords of clients: [RFC 7617](https://www.rfc-editor.org/rfc/rfc7617). Servers do not get them.
    public struct Authentication: Sendable, Hashable {
        /// A file of lines that `hoard password` makes. It is read at the start and at each reload.
        public var passwordPath: String
        /// The purpose of the password, as browsers show it.
        public var realm = "Restricted"

        /// Names the file with the passwords.
        public init(passwordPath: String) {
            self.passwordPath = passwordPath
        }
    }

    /// Changes to the fields of a message: some are removed, then some are set, then some are added.
    public struct FieldRules: Sendable, Hashable {
        /// Fields that are taken out.
        public var removed: [HTTPField.Name] = []
        /// Fields that take the place of those of their names.
        public var set: [FieldRule] = []
        /// Fields that come beside those of their names.
        public var added: [FieldRule] = []

        /// Creates rules that change nothing; set the properties afterwards.
        public init() {}

        /// Whether nothing is done.
        public var isEmpty: Bool { removed.isEmpty && set.isEmpty && added.isEmpty }
    }

    /// A field with a value that may depend on the request.
    public struct FieldRule: Sendable, Hashable {
        /// The name of the field.
        public var name: HTTPField.Name
        /// The value of the field.
        public var value: MessageTemplate

        /// Creates a rule for a field.
        public init(name: HTTPField.Name, value: MessageTemplate) {
            self.name = name
            self.value = value
        }
    }

    /// An answer without the cache and the servers.
    public struct Answer: Sendable, Hashable {
        enum Base: Sendable, Hashable {
            case redirect(MessageTemplate, status: Int)
            case text(MessageTemplate, type: String, status: Int)
        }
        let base: Base

        /// Another place ([RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4)). The status is 301, 302, 303, 307 or 308.
        public static func redirect(_ location: MessageTemplate, status: Int) -> Self { .init(base: .redirect(location, status: status)) }
        /// A text, with its media type. The status is from 200 to 599.
        public static func text(_ text: MessageTemplate, type: String, status: Int) -> Self { .init(base: .text(text, type: type, status: status)) }
    }

    /// Permissions for scripts of other sites.
    public struct CrossOrigin: Sendable, Hashable {
        /// Origins, such as `https://app.example.com`, `https://*.example.com` for all below a name; `*` alone for all.
        public var origins: [String]
        /// The methods that scripts may use.
        public var methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
        /// Fields that scripts may set, beyond those they always may. `*` for those they ask for.
        public var requestFields: [String] = ["*"]
        /// Fields that scripts may read, beyond those they always may.
        public var responseFields: [String] = []
        /// Whether scripts may ask with the user's cookies. Not with `*` among ``origins``.
        public var allowsCredentials = false
        /// The longest time for which a browser may rely on the answer to its question.
        public var maximumAge = Duration.seconds(600)

        /// Creates permissions for scripts of these origins.
        public init(origins: [String]) {
            self.origins = origins
        }
    }
}
