// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import NIOCore

@testable import HoardHTTP

extension FuzzTarget {
    /// Any bytes, as a store may hand them over.
    package static let storedForm = FuzzTarget(name: "stored-form") { bytes in
        let codec = Codec<HTTPCacheEntry>.httpCacheEntry(rules: HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl]))
        // Most bytes are no entry.
        guard let entry = try? codec.decode(Data(bytes)) else { return }
        try require(entry.weight >= 0, "The entry weighs \(entry.weight).")
        let encoded: Data
        do {
            encoded = try codec.encode(entry)
        } catch {
            throw FuzzFinding(description: "What has been read cannot be written: \(error)")
        }
        guard let again = try? codec.decode(encoded) else { throw FuzzFinding(description: "What has been written cannot be read.") }
        try require(again == entry, "What has been written is read as something else.")
        try require(try codec.encode(again) == encoded, "The same entry is written in two ways.")
    }
}
