// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOHTTP1

extension HTTPRequest.Method {
    /// The same method, or `nil` if it is no token.
    package init?(_ method: HTTPMethod) {
        switch method {
        case .GET: self = .get
        case .HEAD: self = .head
        case .POST: self = .post
        default: self.init(method.rawValue)
        }
    }
}

extension HTTPMethod {
    /// The same method.
    package init(_ method: HTTPRequest.Method) {
        self.init(rawValue: method.rawValue)
    }
}
