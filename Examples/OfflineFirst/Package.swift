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
    name: "offline-first",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "hoard", path: "../..")
    ],
    targets: [
        .target(
            name: "OfflineFirst",
            dependencies: [
                .product(name: "Hoard", package: "hoard"),
                .product(name: "HoardDisk", package: "hoard"),
                .product(name: "HoardModels", package: "hoard"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OfflineFirstTests",
            dependencies: [
                "OfflineFirst",
                .product(name: "HoardModels", package: "hoard"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
