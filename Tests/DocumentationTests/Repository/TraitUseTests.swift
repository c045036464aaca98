// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// Commands that build the package by hand enable the traits that they need.
@Suite struct TraitUseTests {
    @Test func everyBuildOfTheCommandAloneEnablesItsTrait() throws {
        let files = ["Makefile", "dist/docker/Dockerfile", "README.md", "Scripts/release"]
        var count = 0
        for file in files {
            for line in try Repository.text(file).split(separator: "\n") where line.contains("--product hoard") {
                count += 1
                #expect(line.contains("--traits Command"), "\(file): \(line)")
            }
        }
        #expect(count >= 4)
    }

    @Test func noScriptBuildsWithoutTraits() throws {
        for name in try Repository.names(in: "Scripts") where Repository.canRun("Scripts/\(name)") {
            guard let text = try? Repository.text("Scripts/\(name)") else { continue }
            // Most of the package refuses to be built then.
            #expect(!text.contains("--disable-default-traits"), "Scripts/\(name)")
        }
    }
}
