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

func hoard(_ product: String) -> Target.Dependency { .product(name: product, package: "hoard") }

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
    name: "seeds",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "hoard", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        // One program for each tutorial. `HoardTesting` is there for time that stands still, `HoardTestingServer` for origins on loopback; an app would depend on neither.
        .executableTarget(
            name: "CacheManagement",
            dependencies: [hoard("Hoard"), hoard("HoardDisk"), hoard("HoardTesting"), hoard("HoardViews"), logging],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "ImageHoard",
            dependencies: [
                hoard("Hoard"), hoard("HoardDisk"), hoard("HoardHTTP"), hoard("HoardImages"), hoard("HoardTesting"), hoard("HoardTestingServer"),
                hoard("HoardTransports"),
                httpTypes, nioCore,
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "CustomViewClient",
            dependencies: [
                hoard("Hoard"), hoard("HoardHTTP"), hoard("HoardTesting"), hoard("HoardTestingServer"), hoard("HoardTransports"), hoard("HoardViews"),
                httpTypes,
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(name: "TypedCache", dependencies: [hoard("Hoard"), hoard("HoardTesting")], swiftSettings: swiftSettings),
        .executableTarget(
            name: "CachedResponses",
            dependencies: [
                hoard("Hoard"), hoard("HoardHTTP"), hoard("HoardTesting"), hoard("HoardTestingServer"), hoard("HoardTransports"), httpTypes,
            ],
            swiftSettings: swiftSettings
        ),

        // Runs the five as a user runs them, and compares their output with the README.
        .testTarget(
            name: "SeedProgramsTests",
            dependencies: ["CacheManagement", "ImageHoard", "CustomViewClient", "TypedCache", "CachedResponses"],
            swiftSettings: swiftSettings
        ),
        // The defects of the tutorials' code: each is imitated, found in the imitation, and not found in Hoard.
        .testTarget(
            name: "SeedDefectsTests",
            dependencies: [
                hoard("Hoard"), hoard("HoardDisk"), hoard("HoardHTTP"), hoard("HoardTesting"), hoard("HoardViews"), httpTypes, nioCore,
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
