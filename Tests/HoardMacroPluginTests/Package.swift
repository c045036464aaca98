// swift-tools-version: 6.2
// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import PackageDescription

// A package of its own. SwiftPM builds tests that import a macro for the machine that compiles, and all other tests of the package with them: everything twice.

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .define("Macros"),
]

func syntax(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-syntax") } }

let package = Package(
    name: "macro-plugin-tests",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0")],
    targets: [
        .macro(
            name: "HoardMacroPlugin",
            dependencies: syntax("SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"),
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardMacroPluginTests",
            dependencies: ["HoardMacroPlugin"]
                + syntax(
                    "SwiftDiagnostics",
                    "SwiftParser",
                    "SwiftSyntax",
                    "SwiftSyntaxMacroExpansion",
                    "SwiftSyntaxMacros",
                    "SwiftSyntaxMacrosGenericTestSupport"
                ),
            swiftSettings: swiftSettings
        ),
    ]
)
