// swift-tools-version: 6.2
// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let hoard: [Target.Dependency] = [
    .product(name: "Hoard", package: "hoard"),
    // For virtual time. A service would not depend on it.
    .product(name: "HoardTesting", package: "hoard"),
]

let package = Package(
    name: "resilience",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "hoard", path: "../..")
    ],
    targets: [
        .executableTarget(name: "Resilience", dependencies: hoard, swiftSettings: swiftSettings),
        .testTarget(name: "ResilienceTests", dependencies: ["Resilience"] + hoard, swiftSettings: swiftSettings),
    ]
)
