// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest {
    /// Sets scheme, authority and path to those of `target`.
    package mutating func setTarget(_ target: TargetURI) {
        // Each change of a request copies the storage that it shares with others.
        let (authority, path) = (target.authority, target.pathAndQuery)
        if scheme?.hasSameBytes(as: target.scheme) != true { scheme = target.scheme }
        if self.authority?.hasSameBytes(as: authority) != true { self.authority = authority }
        if self.path?.hasSameBytes(as: path) != true { self.path = path }
    }
}
