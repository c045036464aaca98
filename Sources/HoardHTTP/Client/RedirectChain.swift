// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// The requests that follow one another because the responses redirect: [RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4).
///
/// Decides, and does no I/O. Cookies that a redirect sets are not sent with the next request: they are the user's affair.
package struct RedirectChain {
    package enum Action {
        /// The caller gets the response.
        case deliver
        case follow(dropsBody: Bool)
    }

    /// The request to send now, with a normalised target.
    package private(set) var request: HTTPRequest
    /// Where it is sent.
    package private(set) var target: TargetURI
    /// The number of redirects that have been followed.
    private(set) var count = 0

    private let options: RequestOptions
    /// Empty as long as no redirect has been followed.
    private var sent: Set<HTTPRequest> = []

    /// - Parameter target: The request's.
    package init(_ request: HTTPRequest, to target: TargetURI, options: RequestOptions) {
        self.target = target
        self.request = request
        self.options = options
        self.request.setTarget(target)
    }

    /// Returns the action for the response to ``request``. If a redirect is to be followed, ``request`` is the next one afterwards.
    ///
    /// - Parameter bodyCanBeSentAgain: Whether there is no content, or it can be read a second time.
    package mutating func received(_ response: HTTPResponse, bodyCanBeSentAgain: Bool) throws(ClientError) -> Action {
        guard options.followsRedirects, let redirect = Redirect(response.status), let location = try location(in: response) else { return .deliver }
        guard count < options.maximumRedirectCount else {
            throw ClientError(.tooManyRedirects, "The request to \(target.authority) was redirected more than \(options.maximumRedirectCount) times.")
        }
        guard let next = target.resolving(location) else {
            throw ClientError(.invalidRedirect, "\(target.authority) redirects to something that is no http or https URL.")
        }
        guard target.scheme == "http" || next.scheme == "https" || options.allowsInsecureRedirects else {
            throw ClientError(.insecureRedirect, "\(target.authority) redirects from https to http, which is not followed.")
        }
        sent.insert(request)
        let dropsBody = redirect.becomesGET(request.method)
        guard dropsBody || bodyCanBeSentAgain else {
            throw ClientError(.bodyCannotBeSentAgain, "\(target.authority) redirects a request whose content can be sent only once.")
        }
        if dropsBody {
            request.method = .get
            request.headerFields.removeContentFields()
        }
        if !next.hasSameOrigin(as: target) { request.headerFields.removeCredentials() }
        request.setTarget(next)
        target = next
        count += 1
        guard sent.insert(request).inserted else {
            throw ClientError(.redirectLoop, "The redirects of \(target.authority) lead back to where they came from.")
        }
        return .follow(dropsBody: dropsBody)
    }

    /// The one `Location` of a response. A redirect without any is a response like any other: [RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4).
    private func location(in response: HTTPResponse) throws(ClientError) -> String? {
        let locations = Set(response.headerFields[values: .location])
        guard locations.count < 2 else {
            throw ClientError(.invalidRedirect, "\(target.authority) redirects to more than one URL at once.")
        }
        return locations.first
    }
}

/// The statuses that a client follows by itself.
enum Redirect {
    /// 301 and 302.
    case moved
    /// 303.
    case seeOther
    /// 307 and 308.
    case sameMethod

    init?(_ status: HTTPResponse.Status) {
        switch status.code {
        case 301, 302: self = .moved
        case 303: self = .seeOther
        case 307, 308: self = .sameMethod
        default: return nil
        }
    }

    /// [RFC 9110 §15.4.2](https://www.rfc-editor.org/rfc/rfc9110#section-15.4.2),
    /// [§15.4.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4.4)
    func becomesGET(_ method: HTTPRequest.Method) -> Bool {
        switch self {
        case .moved: method == .post
        case .seeOther: method != .get && method != .head
        case .sameMethod: false
        }
    }
}

extension HTTPFields {
    /// Drops the fields about content that is sent no more: [RFC 9110 §8](https://www.rfc-editor.org/rfc/rfc9110#section-8).
    fileprivate mutating func removeContentFields() {
        removeAll { field in
            switch field.name.canonicalName {
            case "content-type", "content-length", "content-encoding", "content-language", "content-location", "content-range",
                "content-digest", "content-md5", "repr-digest", "digest", "last-modified", "transfer-encoding", "trailer", "expect":
                true
            default: false
            }
        }
    }

    /// Drops the fields that are meant for one origin only: [RFC 9110 §15.4](https://www.rfc-editor.org/rfc/rfc9110#section-15.4).
    fileprivate mutating func removeCredentials() {
        removeAll { field in
            switch field.name.canonicalName {
            case "authorization", "cookie", "proxy-authorization", "host": true
            default: false
            }
        }
    }

    private mutating func removeAll(where isRemoved: (HTTPField) -> Bool) {
        self = HTTPFields(filter { !isRemoved($0) })
    }
}
