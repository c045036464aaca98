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
    name: "searchable-list",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "hoard", path: "../..")
    ],
    targets: [
        .target(
            name: "SearchableList",
            dependencies: [
                .product(name: "Hoard", package: "hoard"),
                .product(name: "HoardModels", package: "hoard"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SearchableListTests",
            dependencies: [
                "SearchableList",
                .product(name: "HoardModels", package: "hoard"),
                .product(name: "HoardTesting", package: "hoard"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
