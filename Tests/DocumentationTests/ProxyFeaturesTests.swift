// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The tests that `docs/proxy-features.md` names for its claims exist.
@Suite struct ProxyFeaturesTests {
    /// The second column of the table.
    private static func claims() throws -> [Substring] {
        try Repository.text("docs/proxy-features.md").split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| |")
        }
        .map { $0.split(separator: "|")[1] }
    }

    private static func sources() throws -> String {
        var sources = ""
        let files = FileManager.default.enumerator(at: Repository.root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" { sources += try String(contentsOf: file, encoding: .utf8) }
        return sources
    }

    @Test func everyClaimNamesATestThatExistsOrIsNone() throws {
        let (claims, sources) = (try Self.claims(), try Self.sources())
        #expect(claims.count >= 20)
        for claim in claims {
            let isNone = claim.hasPrefix(" no")
            #expect(isNone || claim.hasPrefix(" yes"), "\(claim)")
            let names = claim.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            let tests = names.filter { $0.hasSuffix("Tests") || $0.hasPrefix("Scripts/") }
            #expect(isNone || !tests.isEmpty, "\(claim)")
            for test in tests {
                let exists =
                    test.hasPrefix("Scripts/")
                    ? Repository.canRun(String(test)) : sources.contains("struct \(test) ") || sources.contains("class \(test) ")
                #expect(exists, "\(test)")
            }
        }
    }

    @Test func everyRowIsWhole() throws {
        for row in try Repository.text("docs/proxy-features.md").split(separator: "\n") where row.hasPrefix("| ") {
            #expect(row.split(separator: "|", omittingEmptySubsequences: false).count == 9, "\(row.prefix(60))")
        }
    }
}
