// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The version of the `hoard` command and of the package. A test checks it against the changelog.
enum Version {
    static let current = "0.1.0"

    /// The value of `User-Agent` in the command's requests.
    static var userAgent: String { "hoard/\(current)" }
}
