// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardHTTP

/// The path of a request target, in the form that routes are compared with.
enum RoutePath {
    /// The path in the form that the cache forwards ([RFC 9110 §4.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-4.2.3)), so that no spelling of it takes
    /// another route than the path means.
    static func normalized(_ target: String) -> String {
        let path = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(target[..<$0]) } ?? target
        var previous: UInt8 = 0
        let isPlain = path.utf8.allSatisfy { byte in
            defer { previous = byte }
            return byte != UInt8(ascii: "%") && byte > 0x20 && byte < 0x7F && !(byte == UInt8(ascii: ".") && previous == UInt8(ascii: "/"))
        }
        if isPlain { return path }
        return TargetURI(scheme: "http", authority: "localhost", path: path, query: nil)?.path ?? path
    }
}
