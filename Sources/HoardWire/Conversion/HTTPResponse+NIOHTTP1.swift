// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import NIOHTTP1

extension HTTPResponse.Status {
    /// The same code and reason, or `nil` if the code has not three digits.
    package init?(_ status: HTTPResponseStatus) {
        guard (100...999).contains(status.code) else { return nil }
        self.init(code: Int(status.code), reasonPhrase: status.reasonPhrase)
    }
}

extension HTTPResponseStatus {
    /// The same code and reason. A status without a reason gets the usual one of its code.
    package init(_ status: HTTPResponse.Status) {
        let usual = HTTPResponseStatus(statusCode: status.code)
        if status.reasonPhrase.isEmpty || status.reasonPhrase == usual.reasonPhrase {
            self = usual
        } else {
            self = .custom(code: UInt(status.code), reasonPhrase: status.reasonPhrase)
        }
    }
}
