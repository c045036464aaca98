// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest {
    /// Sets scheme, authority and path to those of `target`.
    package mutating func setTarget(_ target: TargetURI) {
        scheme = target.scheme
        authority = target.authority
        path = target.query.map { "\(target.path)?\($0)" } ?? target.path
    }
}
