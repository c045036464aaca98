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

/// Of libFuzzer only its driver is used: the executables have a `main` of their own. The linker is the toolchain's, as gold fails on instrumented code.
let linkerSettings: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"], .when(platforms: [.linux]))]

func fuzzer(_ name: String, of fuzzed: Target.Dependency = "HoardFuzzing") -> Target {
    .executableTarget(name: name, dependencies: ["FuzzerSupport", fuzzed], swiftSettings: swiftSettings, linkerSettings: linkerSettings)
}

let network: [Target.Dependency] = [
    .product(name: "HoardHTTP", package: "hoard"),
    .product(name: "HoardTestingServer", package: "hoard"),
    .product(name: "HoardTransports", package: "hoard"),
    .product(name: "HTTPTypes", package: "swift-http-types"),
    .product(name: "Logging", package: "swift-log"),
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOEmbedded", package: "swift-nio"),
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHPACK", package: "swift-nio-http2"),
    .product(name: "NIOHTTP2", package: "swift-nio-http2"),
]

/// A package of its own: it needs flags that only a root package may have, and packages that depend on Hoard must
/// not build it. `Scripts/fuzz` builds and runs it.
let package = Package(
    name: "hoard-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "hoard", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    ],
    targets: [
        // The code under the fuzzer: the sources are those of Hoard's tests.
        .target(
            name: "HoardFuzzing",
            dependencies: [
                .product(name: "Hoard", package: "hoard"),
                .product(name: "HoardHTTP", package: "hoard"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HoardRedisFuzzing",
            dependencies: [.product(name: "HoardRedis", package: "hoard"), .product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: swiftSettings
        ),
        // HoardNIO is no product of its own, but a part of HoardTestingServer.
        .target(name: "HoardNIOFuzzing", dependencies: network, swiftSettings: swiftSettings),
        .target(name: "HoardTransportsFuzzing", dependencies: network, swiftSettings: swiftSettings),
        .target(name: "FuzzerSupport", swiftSettings: swiftSettings),
        fuzzer("DateFuzzer"),
        fuzzer("FieldFuzzer"),
        fuzzer("HTTP2RequestFuzzer", of: "HoardNIOFuzzing"),
        fuzzer("HTTP2ResponseFuzzer", of: "HoardTransportsFuzzing"),
        fuzzer("ProxyProtocolFuzzer", of: "HoardNIOFuzzing"),
        fuzzer("RangeFuzzer"),
        fuzzer("RequestFuzzer", of: "HoardNIOFuzzing"),
        fuzzer("RESPFuzzer", of: "HoardRedisFuzzing"),
        fuzzer("StoredFormFuzzer"),
    ]
)
