// swift-tools-version: 6.2
// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// CI sets HOARD_WARNINGS_AS_ERRORS=1. Packages that depend on Hoard never see the flag,
/// so a warning from a newer compiler cannot break their build.
let warningsAsErrors = Context.environment["HOARD_WARNINGS_AS_ERRORS"] == "1"

let swiftSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (warningsAsErrors ? [.treatAllWarnings(as: .error)] : [])

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")

let package = Package(
    name: "hoard",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Hoard", targets: ["Hoard"]),
        .library(name: "HoardDisk", targets: ["HoardDisk"]),
        .library(name: "HoardHTTP", targets: ["HoardHTTP"]),
        .library(name: "HoardTransports", targets: ["HoardTransports"]),
        .library(name: "HoardProxy", targets: ["HoardProxy"]),
        .library(name: "HoardObservability", targets: ["HoardObservability"]),
        .library(name: "HoardSimulator", targets: ["HoardSimulator"]),
        .library(name: "HoardTesting", targets: ["HoardTesting"]),
        .executable(name: "hoard", targets: ["HoardCommand"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Memory cache, records, codecs, stores, tiered cache.
        .target(name: "Hoard", swiftSettings: swiftSettings),

        // The disk tier.
        .target(
            name: "HoardDisk",
            dependencies: [
                "Hoard", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings
        ),

        // RFC 9111 rules, HTTPCache, CachingClient.
        .target(
            name: "HoardHTTP",
            dependencies: [
                "Hoard", httpTypes, nioCore,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            swiftSettings: swiftSettings
        ),

        // Transports for CachingClient.
        .target(
            name: "HoardTransports",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardNIO", httpTypes, nioCore, nioPosix, nioHTTP1,
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings
        ),

        // HTTP/1.1 on SwiftNIO: a server that knows nothing of caching, and what servers and clients share. Not a product.
        .target(
            name: "HoardNIO",
            dependencies: [
                "Hoard", "HoardHTTP", httpTypes, logging, nioCore, nioPosix, nioHTTP1,
            ],
            swiftSettings: swiftSettings
        ),

        // The caching reverse proxy.
        .target(
            name: "HoardProxy",
            dependencies: ["Hoard", "HoardHTTP", "HoardTransports", "HoardNIO", httpTypes, logging, nioCore, nioHTTP1, nioPosix],
            swiftSettings: swiftSettings
        ),

        // Observers for swift-metrics, swift-log and swift-distributed-tracing.
        .target(
            name: "HoardObservability",
            dependencies: ["Hoard", logging, metrics, tracing],
            swiftSettings: swiftSettings
        ),

        // zlib, which the system has.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // Access traces, reference policies, miss-ratio curves.
        .target(name: "HoardSimulator", dependencies: ["Hoard", "CZlib"], swiftSettings: swiftSettings),

        // Fakes, manual time and conformance suites for users' own tests.
        .target(
            name: "HoardTesting",
            dependencies: ["Hoard", "HoardHTTP", "HoardNIO", httpTypes, nioCore],
            swiftSettings: swiftSettings
        ),

        // The `hoard` command. The target is not called `hoard`: on a file system that ignores case,
        // the modules `hoard` and `Hoard` would overwrite each other.
        .executableTarget(
            name: "HoardCommand",
            dependencies: [
                "Hoard", "HoardDisk", "HoardHTTP", "HoardNIO", "HoardProxy", "HoardSimulator", "HoardTransports",
                httpTypes, logging, nioCore, nioPosix,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: swiftSettings
        ),

        // One test target for each target, and one for the examples of the documents.
        .testTarget(name: "HoardTests", dependencies: ["Hoard", "HoardTesting"], swiftSettings: swiftSettings),
        .testTarget(
            name: "HoardDiskTests",
            dependencies: [
                "Hoard", "HoardDisk", "HoardDiskTorture", "HoardTesting", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings
        ),
        // Fault campaigns of the disk tier, for `Scripts/campaign` and the tests. Not a product.
        .executableTarget(
            name: "HoardDiskTorture",
            dependencies: ["Hoard", "HoardDisk", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/HoardDiskTorture",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardHTTPTests",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardTesting", httpTypes, nioCore,
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HoardNIOTestSupport",
            dependencies: ["HoardHTTP", "HoardNIO", httpTypes, nioCore],
            path: "Tests/HoardNIOTestSupport",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardNIOTests",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardNIO", "HoardNIOTestSupport", "HoardTesting", httpTypes, logging, nioCore, nioPosix, nioHTTP1,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardTransportsTests",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardNIO", "HoardNIOTestSupport", "HoardTesting", "HoardTransports", httpTypes, nioCore, nioPosix, nioHTTP1,
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardObservabilityTests",
            dependencies: [
                "Hoard", "HoardObservability", "HoardTesting", logging, metrics, tracing,
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardSimulatorTests",
            dependencies: ["HoardSimulator", "HoardTesting", "CZlib"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardCommandTests",
            dependencies: [
                "HoardCommand", "HoardDisk", "HoardHTTP", "HoardSimulator", "HoardTesting", "HoardTransports", httpTypes, nioCore,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: swiftSettings
        ),
        // The sources of an example that is a package of its own, so that it is built and tested with everything else. Not a product.
        .executableTarget(
            name: "Resilience",
            dependencies: ["Hoard", "HoardTesting"],
            path: "Examples/Resilience/Sources/Resilience",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ResilienceTests",
            dependencies: ["Hoard", "HoardTesting", "Resilience"],
            path: "Examples/Resilience/Tests/ResilienceTests",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: ["Hoard", "HoardDisk", "HoardHTTP", "HoardTesting", "HoardTransports", httpTypes, nioCore],
            swiftSettings: swiftSettings
        ),
    ]
)
