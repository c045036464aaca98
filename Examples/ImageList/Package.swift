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
    name: "image-list",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [
        .package(name: "hoard", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(
            name: "ImageList",
            dependencies: [
                .product(name: "HoardImages", package: "hoard"),
                .product(name: "HoardUI", package: "hoard"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ImageListTests",
            dependencies: [
                "ImageList",
                .product(name: "HoardHTTP", package: "hoard"),
                .product(name: "HoardImages", package: "hoard"),
                .product(name: "HoardTesting", package: "hoard"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
