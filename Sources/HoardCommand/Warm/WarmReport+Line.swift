// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardProxy

extension WarmReport {
    var line: String {
        let parts = [(stored, "stored"), (hits, "cached already"), (notStored, "not stored"), (failed, "failed")].filter { $0.0 > 0 }
        let counts = parts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return "\(urls) URLs: \(counts.isEmpty ? "nothing to do" : counts); \(ByteCount(bytes)) in \(milliseconds) ms"
    }
}
