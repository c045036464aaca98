// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension Int {
    /// Reads a `Content-Length`, which is digits and nothing else: [RFC 9110 §8.6](https://www.rfc-editor.org/rfc/rfc9110#section-8.6).
    ///
    /// `nil` for anything else, and for a number too large to hold.
    package init?(contentLength text: String) {
        // A sign would be read too.
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}
