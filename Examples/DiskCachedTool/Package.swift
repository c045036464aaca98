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

let package = Package(
    name: "disk-cached-tool",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "hoard", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "DiskCachedTool",
            dependencies: [
                .product(name: "Hoard", package: "hoard"),
                .product(name: "HoardDisk", package: "hoard"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "DiskCachedToolTests", dependencies: ["DiskCachedTool"], swiftSettings: swiftSettings),
    ]
)
