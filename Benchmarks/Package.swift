// swift-tools-version: 6.2
// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The package name with which Hoard's modules are compiled: the name of its folder, as an identifier. The decisions
/// of the HTTP cache are not public, so a program that measures them has to say that it belongs to the same package.
let hoardPackageName = String(
    (Context.packageDirectory.split(separator: "/").dropLast().last ?? "hoard").lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
)

/// A package of its own, so that packages that depend on Hoard neither download nor build the benchmarks, and so
/// that Hoard's generic code is measured as a user's package sees it.
let package = Package(
    name: "hoard-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "hoard-benchmarks", targets: ["HoardBenchmarks"]),
        .executable(name: "disk-benchmarks", targets: ["DiskBenchmarks"]),
        .executable(name: "tiered-benchmarks", targets: ["TieredBenchmarks"]),
        .executable(name: "http-benchmarks", targets: ["HTTPBenchmarks"]),
        .executable(name: "middleware-benchmarks", targets: ["MiddlewareBenchmarks"]),
        .executable(name: "redis-benchmarks", targets: ["RedisBenchmarks"]),
        .executable(name: "lock-benchmarks", targets: ["LockBenchmarks"]),
        .executable(name: "recorder-benchmarks", targets: ["RecorderBenchmarks"]),
        .executable(name: "cache-storm", targets: ["CacheStorm"]),
    ],
    dependencies: [
        .package(name: "hoard", path: ".."),
        // The interfaces of HoardHTTP and HoardHummingbird consist of them; Hoard has them already.
        .package(url: "https://github.com/apple/swift-log", from: "1.0.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.0.0"),
    ],
    targets: [
        // Functions that Swift does not have: processor hints, membarrier, the state of malloc.
        .target(name: "CBenchmarkSupport"),

        // Random numbers, access sequences, threads, medians, tables. Nothing of it runs inside a measured loop.
        .target(name: "BenchmarkSupport", dependencies: ["CBenchmarkSupport"], swiftSettings: swiftSettings),

        .executableTarget(
            name: "HoardBenchmarks",
            dependencies: ["BenchmarkSupport", "CBenchmarkSupport", .product(name: "Hoard", package: "hoard")],
            swiftSettings: swiftSettings
        ),
        // SQLite's C interface, which the system has: the baseline of DiskStore.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "DiskBenchmarks",
            dependencies: [
                "BenchmarkSupport", "CSQLite", .product(name: "Hoard", package: "hoard"), .product(name: "HoardDisk", package: "hoard"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "RecorderBenchmarks",
            dependencies: ["BenchmarkSupport", .product(name: "Hoard", package: "hoard")],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "TieredBenchmarks",
            dependencies: ["BenchmarkSupport", .product(name: "Hoard", package: "hoard"), .product(name: "HoardDisk", package: "hoard")],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "HTTPBenchmarks",
            dependencies: [
                "BenchmarkSupport", .product(name: "Hoard", package: "hoard"), .product(name: "HoardHTTP", package: "hoard"),
                .product(name: "HoardImages", package: "hoard"), .product(name: "HoardTestingServer", package: "hoard"),
                .product(name: "HoardTransports", package: "hoard"), .product(name: "HoardViews", package: "hoard"),
                .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "NIOCore", package: "swift-nio"),
            ],
            packageAccess: false,
            swiftSettings: swiftSettings + [.unsafeFlags(["-package-name", hoardPackageName])]
        ),
        .executableTarget(
            name: "MiddlewareBenchmarks",
            dependencies: [
                "BenchmarkSupport", .product(name: "HoardHTTP", package: "hoard"), .product(name: "HoardHummingbird", package: "hoard"),
                .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "RedisBenchmarks",
            dependencies: [
                "BenchmarkSupport", .product(name: "Hoard", package: "hoard"), .product(name: "HoardRedis", package: "hoard"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "LockBenchmarks",
            dependencies: ["BenchmarkSupport", "CBenchmarkSupport"],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "CacheStorm",
            dependencies: ["BenchmarkSupport", .product(name: "Hoard", package: "hoard")],
            swiftSettings: swiftSettings
        ),
    ]
)
