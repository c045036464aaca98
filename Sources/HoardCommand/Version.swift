// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The version of the `hoard` command and of the package. A test checks it against the changelog.
enum Version {
    static let current = "0.1.0"

    /// What requests of the command say in `User-Agent`.
    static var userAgent: String { "hoard/\(current)" }
}
