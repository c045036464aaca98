// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// The Swift Package Index documents every library.
@Suite struct PackageIndexTests {
    @Test func everyLibraryOfThePackageHasDocumentation() throws {
        let checker = PackageIndexChecker(manifest: try Repository.text("Package.swift"))
        #expect(checker.libraries.count >= 13)
        #expect(checker.problems(in: try Repository.text(".spi.yml")) == [])
    }

    @Test func whatIsExportedAgainIsATargetOfThePackage() throws {
        let manifest = try Repository.text("Package.swift")
        for module in PackageIndexChecker.exportedModules { #expect(manifest.contains(".target(name: \"\(module)\"")) }
    }
}

/// The check of `.spi.yml` finds each kind of mistake.
@Suite struct PackageIndexCheckerTests {
    private let checker = PackageIndexChecker(
        manifest: """
            products: [
                .library(name: "One", targets: ["One"]),
                .library(name: "Two", targets: ["Two"]),
                .executable(name: "tool", targets: ["Tool"]),
            ]
            """
    )

    private func index(_ modules: String) -> String {
        """
        version: 1
        builder:
          configs:
            - documentation_targets: \(modules)
        """
    }

    @Test func theLibrariesAreThoseOfTheManifestInItsOrder() {
        #expect(checker.libraries == ["One", "Two"])
    }

    @Test func aListOfAllLibrariesHasNoMistake() {
        #expect(checker.problems(in: index("[Two, HoardMessages, One]")) == [])
    }

    @Test(arguments: [
        ("[One, HoardMessages]", "Two is missing."),
        ("[One, Two]", "HoardMessages is missing."),
        ("[One, Two, Three, HoardMessages]", "Three is no library of Package.swift."),
        ("[One, Two, tool, HoardMessages]", "tool is no library of Package.swift."),
        ("[One, Two, One, HoardMessages]", "One stands there twice."),
        ("One", "The first of “builder: configs:” has no list “documentation_targets”."),
        ("\n        - One\n        - Two\n        - HoardMessages", "The list is not on one line."),
    ])
    func aMistakeOfTheListIsFound(modules: String, problem: String) {
        #expect(checker.problems(in: index(modules)) == [problem])
    }

    @Test func anotherVersionIsAMistake() {
        #expect(checker.problems(in: "version: 2") == ["The version is not 1."])
        #expect(checker.problems(in: "version: [").first?.hasPrefix("The file is no YAML: ") == true)
    }
}
