// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Looks for a text in all files of any kind below a directory.
enum DiskSearch {
    static func contains(_ text: String, below directory: String) -> Bool {
        let files = (try? FileManager.default.subpathsOfDirectory(atPath: directory)) ?? []
        return files.contains { file in
            guard let bytes = FileManager.default.contents(atPath: directory + "/" + file) else { return false }
            return bytes.firstRange(of: Data(text.utf8)) != nil
        }
    }
}
