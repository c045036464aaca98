// swift-tools-version: 6.2
// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import CompilerPluginSupport
import PackageDescription

/// CI sets HOARD_WARNINGS_AS_ERRORS=1. Packages that depend on Hoard never see the flag,
/// so a warning from a newer compiler cannot break their build.
let warningsAsErrors = Context.environment["HOARD_WARNINGS_AS_ERRORS"] == "1"

// Traits let a product use other packages, so that SwiftPM fetches none for a product that nobody uses. Each is named after a product. This says which a trait
// brings with it. Only one is enabled by default, and none enables another in SwiftPM's own way: version 6.3 gives the compiler what is enabled as flags in the
// order of a set, and compiles everything again whenever that order changes. The settings and conditions below name all that bring a trait instead.
let included: [String: [String]] = [
    "Transports": ["HTTP"], "AsyncHTTPClient": ["Transports"], "Views": ["HTTP"], "Images": ["HTTP"], "Hummingbird": ["HTTP"], "Testing": ["HTTP"],
    "Server": ["HTTP"], "UI": ["Views"], "AVIF": ["Images"], "GIF": ["Images"], "WebP": ["Images"],
    "Proxy": ["Transports", "Server"], "Command": ["Disk", "Redis", "Views", "Proxy", "Brotli", "Zstandard"],
    "Everything": [
        "AsyncHTTPClient", "AVIF", "Brotli", "Command", "GIF", "Hummingbird", "Images", "Lifecycle", "Macros", "Observability", "Testing", "UI",
        "WebP",
        "Zstandard",
    ],
]

/// The traits of which one is enough: the trait itself, and all that bring it with them.
func enabling(_ trait: String) -> Set<String> {
    included.reduce(into: [trait]) { traits, entry in
        if entry.value.contains(trait) { traits.formUnion(enabling(entry.key)) }
    }
}

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
    // For `#if` in the sources: `Everything` includes every other trait.
    + Set(included.values.joined()).sorted().map { .define($0, .when(traits: enabling($0))) }
    // For the code over Foundation's URLSession. Outside Apple's systems that needs libcurl, and all that libcurl needs, so the command does without it.
    + [
        .define("URLSession", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
        .define("URLSession", .when(traits: enabling("Transports").subtracting(["Command"]))),
    ]

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK: Target.Dependency = .product(name: "NIOHPACK", package: "swift-nio-http2")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(
    name: "ServiceLifecycle",
    package: "swift-service-lifecycle",
    condition: .when(traits: enabling("Lifecycle"))
)
/// The libraries of swift-syntax that a macro is made of.
func syntax(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-syntax") } }
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")

let package = Package(
    name: "hoard",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Hoard", targets: ["Hoard"]),
        .library(name: "HoardMacros", targets: ["HoardMacros"]),
        .library(name: "HoardModels", targets: ["HoardModels"]),
        .library(name: "HoardDisk", targets: ["HoardDisk"]),
        .library(name: "HoardRedis", targets: ["HoardRedis"]),
        .library(name: "HoardHTTP", targets: ["HoardHTTP"]),
        .library(name: "HoardTransports", targets: ["HoardTransports"]),
        .library(name: "HoardViews", targets: ["HoardViews"]),
        .library(name: "HoardImages", targets: ["HoardImages"]),
        .library(name: "HoardUI", targets: ["HoardUI"]),
        .library(name: "HoardHummingbird", targets: ["HoardHummingbird"]),
        .library(name: "HoardProxy", targets: ["HoardProxy"]),
        .library(name: "HoardObservability", targets: ["HoardObservability"]),
        .library(name: "HoardSimulator", targets: ["HoardSimulator"]),
        .library(name: "HoardTesting", targets: ["HoardTesting"]),
        .library(name: "HoardTestingServer", targets: ["HoardTestingServer"]),
        .executable(name: "hoard", targets: ["HoardCommand"]),
    ],
    // `traits: []` leaves `Hoard`, `HoardModels` and `HoardSimulator`, which need no other package.
    traits: [
        .trait(name: "Disk", description: "HoardDisk"),
        .trait(name: "Redis", description: "HoardRedis"),
        .trait(name: "HTTP", description: "HoardHTTP, and HoardImages without decoders of its own on Linux"),
        .trait(name: "Transports", description: "HoardTransports"),
        .trait(name: "AsyncHTTPClient", description: "AsyncHTTPClientTransport, in HoardTransports"),
        .trait(name: "Views", description: "HoardViews"),
        .trait(
            name: "Images",
            description: "HoardImages, which decodes PNG and JPEG with libpng and libjpeg where the system has no decoder of its own"
        ),
        .trait(name: "WebP", description: "WebP in HoardImages, with libwebp on Linux"),
        .trait(name: "GIF", description: "GIF in HoardImages, with giflib on Linux"),
        .trait(name: "AVIF", description: "AVIF in HoardImages, with libavif on Linux"),
        .trait(name: "UI", description: "HoardUI"),
        .trait(name: "Macros", description: "HoardMacros, for which swift-syntax is built"),
        .trait(name: "Hummingbird", description: "HoardHummingbird"),
        .trait(name: "Proxy", description: "HoardProxy"),
        .trait(name: "Observability", description: "HoardObservability"),
        .trait(name: "Testing", description: "HoardTesting"),
        .trait(name: "Server", description: "HoardTestingServer"),
        .trait(name: "Lifecycle", description: "Stores, caches and proxies are services of swift-service-lifecycle."),
        .trait(name: "Brotli", description: "The content coding br, with libbrotli on Linux"),
        .trait(name: "Zstandard", description: "The content coding zstd, and access traces compressed with it, with libzstd on Linux"),
        .trait(name: "Command", description: "The command hoard"),
        .trait(name: "Everything", description: "All of these, and the package's own tests, examples and tools"),
        .default(enabledTraits: ["Everything"]),
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
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        // Each version of Swift has one of its own, and other packages' macros have to agree.
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"605.0.0"),
    ],
    targets: [
        // Memory cache, records, codecs, stores, tiered cache.
        .target(name: "Hoard", swiftSettings: swiftSettings),

        // The macro @Cached, and the program by which the compiler expands it.
        .target(name: "HoardMacros", dependencies: ["Hoard", "HoardMacroPlugin"], swiftSettings: swiftSettings),
        .macro(
            name: "HoardMacroPlugin",
            dependencies: syntax("SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros"),
            swiftSettings: swiftSettings
        ),

        // Models of cached values, for SwiftUI, UIKit and AppKit.
        .target(name: "HoardModels", dependencies: ["Hoard"], swiftSettings: swiftSettings),

        // The disk tier.
        .target(
            name: "HoardDisk",
            dependencies: [
                "Hoard", "CZlib", lifecycle,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings
        ),

        // The shared tier: Redis or Valkey, and memory tiers that stay coherent with it.
        .target(
            name: "HoardRedis",
            dependencies: ["Hoard", "HoardEventLoops", lifecycle, logging, nioCore, nioPosix, nioSSL],
            swiftSettings: swiftSettings
        ),

        // The common ground of clients, servers and caches of HTTP: content, transports, targets, dates. Not a product: HoardHTTP re-exports it.
        .target(name: "HoardMessages", dependencies: [httpTypes, nioCore], swiftSettings: swiftSettings),

        // RFC 9111 rules, HTTPCache, CachingClient.
        .target(
            name: "HoardHTTP",
            dependencies: [
                "Hoard", "HoardCodings", "HoardMessages", httpTypes, nioCore,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            swiftSettings: swiftSettings
        ),

        // Transports for CachingClient.
        .target(
            name: "HoardTransports",
            dependencies: [
                "Hoard", "HoardEventLoops", "HoardHTTP", "HoardWire", httpTypes, nioCore, nioPosix, nioHTTP1, nioHTTP2, nioHPACK, nioSSL, nioTLS,
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: enabling("AsyncHTTPClient"))),
            ],
            swiftSettings: swiftSettings
        ),

        // Server-driven screens: fetched, prefetched, kept, revalidated.
        .target(
            name: "HoardViews",
            dependencies: ["Hoard", "HoardHTTP", httpTypes, logging, nioCore],
            swiftSettings: swiftSettings
        ),

        // Images: the bytes as they came, and bitmaps of the size that is shown.
        .target(
            name: "HoardImages",
            dependencies: [
                "Hoard", "HoardHTTP", httpTypes, nioCore,
                .target(name: "CHoardImages", condition: .when(platforms: [.linux], traits: enabling("Images"))),
            ],
            swiftSettings: swiftSettings
        ),

        // Views of SwiftUI, UIKit and AppKit on cached values, images and screens, and the models that decide for them.
        .target(
            name: "HoardUI",
            dependencies: ["Hoard", "HoardHTTP", "HoardImages", "HoardModels", "HoardViews"],
            swiftSettings: swiftSettings
        ),

        // The part of decoding that needs C: libpng and libjpeg report errors by longjmp.
        .target(
            name: "CHoardImages",
            cSettings: [
                .define("HOARD_IMAGES", .when(platforms: [.linux], traits: enabling("Images"))),
                .define("HOARD_WEBP", .when(platforms: [.linux], traits: enabling("WebP"))),
                .define("HOARD_GIF", .when(platforms: [.linux], traits: enabling("GIF"))),
                .define("HOARD_AVIF", .when(platforms: [.linux], traits: enabling("AVIF"))),
            ],
            linkerSettings: [
                .linkedLibrary("png", .when(platforms: [.linux], traits: enabling("Images"))),
                .linkedLibrary("jpeg", .when(platforms: [.linux], traits: enabling("Images"))),
                .linkedLibrary("webp", .when(platforms: [.linux], traits: enabling("WebP"))),
                .linkedLibrary("webpdemux", .when(platforms: [.linux], traits: enabling("WebP"))),
                .linkedLibrary("gif", .when(platforms: [.linux], traits: enabling("GIF"))),
                .linkedLibrary("avif", .when(platforms: [.linux], traits: enabling("AVIF"))),
            ]
        ),

        // Tasks on the threads of SwiftNIO's event loops. Not a product.
        .target(name: "HoardEventLoops", dependencies: ["Hoard", nioCore], swiftSettings: swiftSettings),

        // The common ground of servers and clients on SwiftNIO: fields and statuses of both kinds, frames of HTTP/2, lengths. Not a product.
        .target(name: "HoardWire", dependencies: [httpTypes, nioCore, nioHTTP1, nioHPACK], swiftSettings: swiftSettings),

        // HTTP/1.1 and HTTP/2 on SwiftNIO: a server that knows nothing of caching. Not a product.
        .target(
            name: "HoardNIO",
            dependencies: [
                "Hoard", "HoardEventLoops", "HoardMessages", "HoardWire", httpTypes, logging, nioCore, nioPosix, nioHTTP1, nioHTTP2, nioHPACK, nioSSL,
                nioTLS,
            ],
            swiftSettings: swiftSettings
        ),

        // The caching reverse proxy.
        .target(
            name: "HoardProxy",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardTransports", "HoardNIO", "HoardSimulator", httpTypes, lifecycle, logging, nioCore, nioHTTP1, nioPosix,
                nioSSL, tracing,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ],
            // The dashboard's page as web files; `Scripts/dashboard-page` makes a Swift file of them.
            exclude: ["Dashboard/Page"],
            swiftSettings: swiftSettings
        ),

        // Response-cache middleware for Hummingbird.
        .target(
            name: "HoardHummingbird",
            dependencies: [
                "Hoard", "HoardHTTP", httpTypes, logging, nioCore,
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            swiftSettings: swiftSettings
        ),

        // Observers for swift-metrics, swift-log and swift-distributed-tracing.
        .target(
            name: "HoardObservability",
            dependencies: ["Hoard", lifecycle, logging, metrics, tracing],
            swiftSettings: swiftSettings
        ),

        // zlib, which the system has.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // libzstd, which Linux has, for access traces and a content coding.
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),

        // libbrotli, which Linux has, for a content coding.
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"])]),

        // Decoders and encoders of HTTP's content codings, and the field Accept-Encoding. Not a product.
        .target(
            name: "HoardCodings",
            dependencies: [
                "CZlib",
                .target(name: "CBrotli", condition: .when(platforms: [.linux], traits: enabling("Brotli"))),
                .target(name: "CZstd", condition: .when(platforms: [.linux], traits: enabling("Zstandard"))),
            ],
            swiftSettings: swiftSettings
        ),

        // Access traces, reference policies, miss-ratio curves.
        .target(
            name: "HoardSimulator",
            dependencies: ["Hoard", "HoardCodings"],
            swiftSettings: swiftSettings
        ),

        // Fakes, manual time and conformance suites for users' own tests.
        .target(
            name: "HoardTesting",
            dependencies: ["Hoard", "HoardHTTP", httpTypes, nioCore],
            swiftSettings: swiftSettings
        ),

        // FakeOrigin, a real server for users' own tests.
        .target(name: "HoardTestingServer", dependencies: ["HoardHTTP", "HoardNIO", httpTypes], swiftSettings: swiftSettings),

        // The `hoard` command. The target is not called `hoard`: on a file system that ignores case,
        // the modules `hoard` and `Hoard` would overwrite each other.
        .executableTarget(
            name: "HoardCommand",
            dependencies: [
                "Hoard", "HoardDisk", "HoardHTTP", "HoardNIO", "HoardProxy", "HoardRedis", "HoardSimulator", "HoardTransports", "HoardViews",
                httpTypes, logging, nioCore, nioPosix,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: swiftSettings
        ),

        // One test target for each target, and one for the examples of the documents.
        // Two for Hoard: the memory cache, and everything with tiers. The time that a compiler takes for a module's tests grows with their square.
        .testTarget(name: "HoardTests", dependencies: ["Hoard", "HoardTestSupport", "HoardTesting"], swiftSettings: swiftSettings),
        .testTarget(name: "HoardTieredTests", dependencies: ["Hoard", "HoardTestSupport", "HoardTesting"], swiftSettings: swiftSettings),
        .target(name: "HoardTestSupport", path: "Tests/HoardTestSupport", swiftSettings: swiftSettings),
        // Those of the plugin are a package of their own, in HoardMacroPluginTests.
        .testTarget(
            name: "HoardMacrosTests",
            dependencies: ["Hoard", "HoardMacros", "HoardProcessTestSupport", "HoardTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardModelsTests",
            dependencies: ["Hoard", "HoardDisk", "HoardModels", "HoardTesting"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardDiskTests",
            dependencies: [
                "Hoard", "HoardDisk", "HoardDiskTorture", "HoardProcessTestSupport", "HoardTesting", "CZlib",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: swiftSettings
        ),
        // Fault campaigns of the disk tier, for `Scripts/campaign` and the tests. Not a product.
        .executableTarget(
            name: "HoardDiskTorture",
            dependencies: ["Hoard", "HoardDisk", "HoardProcessTestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/HoardDiskTorture",
            swiftSettings: swiftSettings
        ),
        // The ways of a request, for `Scripts/budgets`, which counts what each costs. Not a product.
        .executableTarget(
            name: "HoardBudgets",
            dependencies: [
                "Hoard", "HoardDisk", "HoardHTTP", "HoardHummingbird", "HoardImages", "HoardProxy", "HoardTransports", "HoardViews", httpTypes,
                logging,
                nioCore, nioPosix, .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Tests/HoardBudgets",
            swiftSettings: swiftSettings
        ),
        // Other programs, for tests and campaigns.
        .target(name: "HoardProcessTestSupport", path: "Tests/HoardProcessTestSupport", swiftSettings: swiftSettings),
        // Private servers for tests: one, one with TLS and users, a cluster of three.
        .target(
            name: "HoardRedisTestSupport",
            dependencies: ["Hoard", "HoardNIOTestSupport", "HoardProcessTestSupport", "HoardRedis", nioCore, nioPosix],
            path: "Tests/HoardRedisTestSupport",
            swiftSettings: swiftSettings
        ),
        // Campaigns of the shared tier with several processes, for `Scripts/coherence` and the tests. Not a product.
        .executableTarget(
            name: "HoardRedisTorture",
            dependencies: [
                "Hoard", "HoardProcessTestSupport", "HoardRedis", "HoardRedisTestSupport", logging, nioCore,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/HoardRedisTorture",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardRedisTests",
            dependencies: [
                "Hoard", "HoardNIOTestSupport", "HoardProcessTestSupport", "HoardRedis", "HoardRedisTestSupport", "HoardRedisTorture", "HoardTesting",
                logging, nioCore,
                nioPosix, nioSSL,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        // Two for HoardHTTP: the rules and the state machine, which read and write nothing, and everything that has a cache.
        .testTarget(
            name: "HoardHTTPRulesTests",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardHTTPTestSupport", "HoardMessages", "HoardTesting", httpTypes, nioCore,
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardHTTPTests",
            dependencies: [
                "Hoard", "HoardCodings", "HoardHTTP", "HoardHTTPTestSupport", "HoardMessages", "HoardTesting", "HoardTransports", httpTypes,
                nioCore,
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HoardHTTPTestSupport",
            dependencies: ["Hoard", "HoardTesting", httpTypes],
            path: "Tests/HoardHTTPTestSupport",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "HoardNIOTestSupport",
            dependencies: ["HoardHTTP", "HoardNIO", "HoardTesting", httpTypes, nioCore, nioHPACK, nioPosix, nioSSL],
            path: "Tests/HoardNIOTestSupport",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardNIOTests",
            dependencies: [
                "Hoard", "HoardEventLoops", "HoardHTTP", "HoardMessages", "HoardNIO", "HoardNIOTestSupport", "HoardTesting", "HoardWire", httpTypes,
                logging, nioCore, nioPosix, nioHTTP1, nioHTTP2,
                nioHPACK, nioSSL, nioTLS,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardProxyTests",
            dependencies: [
                "Hoard", "HoardCodings", "HoardDisk", "HoardHTTP", "HoardNIO", "HoardNIOTestSupport", "HoardProxy", "HoardRedis",
                "HoardRedisTestSupport",
                "HoardSimulator", "HoardTesting", "HoardTestingServer", "HoardTransports", httpTypes,
                lifecycle, logging, nioCore, nioPosix, nioHPACK, nioHTTP1, nioSSL, tracing,
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardHummingbirdTests",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardHummingbird", "HoardNIOTestSupport", "HoardTesting", "HoardTransports", httpTypes, lifecycle, logging,
                nioCore,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardTransportsTests",
            dependencies: [
                "Hoard", "HoardEventLoops", "HoardHTTP", "HoardNIO", "HoardNIOTestSupport", "HoardTesting", "HoardTestingServer", "HoardTransports",
                "HoardWire", httpTypes,
                nioCore, nioPosix, nioHTTP1,
                nioHTTP2, nioHPACK, nioSSL, nioTLS,
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardUITests",
            dependencies: ["CZlib", "Hoard", "HoardHTTP", "HoardImages", "HoardTesting", "HoardUI", "HoardViews", httpTypes, nioCore],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardViewsTests",
            dependencies: ["Hoard", "HoardDisk", "HoardHTTP", "HoardTesting", "HoardViews", httpTypes, logging, nioCore],
            swiftSettings: swiftSettings
        ),
        // Writes the pictures of the tests, by the libraries that read them.
        .target(
            name: "CHoardImagesTestSupport",
            path: "Tests/CHoardImagesTestSupport",
            cSettings: [
                .define("HOARD_IMAGES", .when(platforms: [.linux], traits: enabling("Images"))),
                .define("HOARD_WEBP", .when(platforms: [.linux], traits: enabling("WebP"))),
                .define("HOARD_GIF", .when(platforms: [.linux], traits: enabling("GIF"))),
                .define("HOARD_AVIF", .when(platforms: [.linux], traits: enabling("AVIF"))),
            ],
            linkerSettings: [
                .linkedLibrary("png", .when(platforms: [.linux], traits: enabling("Images"))),
                .linkedLibrary("jpeg", .when(platforms: [.linux], traits: enabling("Images"))),
                .linkedLibrary("webp", .when(platforms: [.linux], traits: enabling("WebP"))),
                .linkedLibrary("webpdemux", .when(platforms: [.linux], traits: enabling("WebP"))),
                .linkedLibrary("gif", .when(platforms: [.linux], traits: enabling("GIF"))),
                .linkedLibrary("avif", .when(platforms: [.linux], traits: enabling("AVIF"))),
                .linkedLibrary("z", .when(platforms: [.linux], traits: enabling("Images"))),
            ]
        ),
        .testTarget(
            name: "HoardImagesTests",
            dependencies: [
                .target(name: "CHoardImagesTestSupport", condition: .when(platforms: [.linux], traits: enabling("Images"))),
                "Hoard", "HoardDisk", "HoardHTTP", "HoardImages", "HoardTesting", httpTypes, nioCore,
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
        .testTarget(name: "HoardCodingsTests", dependencies: ["HoardCodings"], swiftSettings: swiftSettings),
        .testTarget(
            name: "HoardSimulatorTests",
            dependencies: [
                "Hoard", "HoardSimulator", "HoardTesting", "CZlib",
                .target(name: "CZstd", condition: .when(platforms: [.linux], traits: enabling("Zstandard"))),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HoardCommandTests",
            dependencies: [
                "HoardCommand", "HoardDisk", "HoardHTTP", "HoardProcessTestSupport", "HoardProxy", "HoardRedisTestSupport", "HoardSimulator",
                "HoardTesting",
                "HoardTestingServer",
                "HoardTransports",
                httpTypes, nioCore,
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
        // One program for each of the five tutorials that Hoard begins with. Not products.
        .executableTarget(
            name: "CacheManagement",
            dependencies: ["Hoard", "HoardDisk", "HoardTesting", "HoardViews", logging],
            path: "Examples/Seeds/Sources/CacheManagement",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "ImageHoard",
            dependencies: [
                "Hoard", "HoardDisk", "HoardHTTP", "HoardImages", "HoardTesting", "HoardTestingServer", "HoardTransports", httpTypes, nioCore,
            ],
            path: "Examples/Seeds/Sources/ImageHoard",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "CustomViewClient",
            dependencies: ["Hoard", "HoardHTTP", "HoardTesting", "HoardTestingServer", "HoardTransports", "HoardViews", httpTypes],
            path: "Examples/Seeds/Sources/CustomViewClient",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "TypedCache",
            dependencies: ["Hoard", "HoardTesting"],
            path: "Examples/Seeds/Sources/TypedCache",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "CachedResponses",
            dependencies: ["Hoard", "HoardHTTP", "HoardTesting", "HoardTestingServer", "HoardTransports", httpTypes],
            path: "Examples/Seeds/Sources/CachedResponses",
            swiftSettings: swiftSettings
        ),
        // Runs the five programs, and checks the documents about them.
        .testTarget(
            name: "SeedProgramsTests",
            dependencies: ["CacheManagement", "ImageHoard", "CustomViewClient", "TypedCache", "CachedResponses"],
            path: "Examples/Seeds/Tests/SeedProgramsTests",
            swiftSettings: swiftSettings
        ),
        // What the tutorials get wrong: each defect imitated, found in the imitation, and not found in Hoard.
        .testTarget(
            name: "SeedDefectsTests",
            dependencies: ["Hoard", "HoardDisk", "HoardHTTP", "HoardTesting", "HoardViews", httpTypes, nioCore],
            path: "Examples/Seeds/Tests/SeedDefectsTests",
            swiftSettings: swiftSettings
        ),
        // A server of server-driven screens and a client that browses them, each a program, and what both are made of. Not products.
        .target(
            name: "Screens",
            dependencies: [
                "Hoard", "HoardDisk", "HoardHTTP", "HoardTransports", "HoardViews", httpTypes, lifecycle, logging, nioCore,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            path: "Examples/Screens/Sources/Screens",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "ScreensServer",
            dependencies: ["Screens"],
            path: "Examples/Screens/Sources/ScreensServer",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "ScreensClient",
            dependencies: ["Screens"],
            path: "Examples/Screens/Sources/ScreensClient",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ScreensTests",
            dependencies: ["Hoard", "HoardHTTP", "HoardTesting", "HoardTransports", "HoardViews", "Screens", httpTypes, nioCore],
            path: "Examples/Screens/Tests/ScreensTests",
            swiftSettings: swiftSettings
        ),
        // A Hummingbird server with a cache in front of its handlers. Not products.
        .target(
            name: "HummingbirdCache",
            dependencies: [
                "Hoard", "HoardHTTP", "HoardHummingbird", "HoardTransports", httpTypes, lifecycle, logging, nioCore, nioSSL,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
            ],
            path: "Examples/HummingbirdCache/Sources/HummingbirdCache",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "HummingbirdCacheServer",
            dependencies: ["HummingbirdCache"],
            path: "Examples/HummingbirdCache/Sources/HummingbirdCacheServer",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HummingbirdCacheTests",
            dependencies: [
                "HoardHTTP", "HoardHummingbird", "HummingbirdCache",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            path: "Examples/HummingbirdCache/Tests/HummingbirdCacheTests",
            swiftSettings: swiftSettings
        ),
        // Recipes, each a package of its own. Not products.
        .executableTarget(
            name: "CachedService",
            dependencies: ["Hoard", "HoardMacros", .product(name: "Hummingbird", package: "hummingbird")],
            path: "Examples/CachedService/Sources/CachedService",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "CachedServiceTests",
            dependencies: [
                "CachedService", "HoardTesting",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ],
            path: "Examples/CachedService/Tests/CachedServiceTests",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "DiskCachedTool",
            dependencies: ["Hoard", "HoardDisk"],
            path: "Examples/DiskCachedTool/Sources/DiskCachedTool",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "DiskCachedToolTests",
            dependencies: ["DiskCachedTool"],
            path: "Examples/DiskCachedTool/Tests/DiskCachedToolTests",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "ImageList",
            dependencies: ["HoardImages", "HoardUI"],
            path: "Examples/ImageList/Sources/ImageList",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "ImageListTests",
            dependencies: ["HoardHTTP", "HoardImages", "HoardTesting", "ImageList", httpTypes, nioCore],
            path: "Examples/ImageList/Tests/ImageListTests",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "OfflineFirst",
            dependencies: ["Hoard", "HoardDisk", "HoardModels"],
            path: "Examples/OfflineFirst/Sources/OfflineFirst",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "OfflineFirstTests",
            dependencies: ["HoardModels", "OfflineFirst"],
            path: "Examples/OfflineFirst/Tests/OfflineFirstTests",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "SearchableList",
            dependencies: ["Hoard", "HoardModels"],
            path: "Examples/SearchableList/Sources/SearchableList",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "SearchableListTests",
            dependencies: ["HoardModels", "HoardTesting", "SearchableList"],
            path: "Examples/SearchableList/Tests/SearchableListTests",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Hoard", "HoardDisk", "HoardHTTP", "HoardHummingbird", "HoardImages", "HoardMacros", "HoardModels", "HoardObservability",
                "HoardProxy",
                "HoardRedis", "HoardSimulator", "HoardTesting", "HoardTestingServer", "HoardTransports", "HoardViews",
                httpTypes, logging, nioCore,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: swiftSettings
        ),
    ]
)

// The traits with which a target may use other packages; one is enough. A condition that stands with a dependency counts instead. Those that are not here are for
// tests, examples and tools.
let traitsOfTarget: [String: [String]] = [
    "HoardDisk": ["Disk"], "HoardRedis": ["Redis"], "HoardMessages": ["HTTP"], "HoardHTTP": ["HTTP"], "HoardImages": ["HTTP"],
    "HoardTransports": ["Transports"], "HoardViews": ["Views"], "HoardHummingbird": ["Hummingbird"], "HoardNIO": ["Server"], "HoardProxy": ["Proxy"],
    "HoardObservability": ["Observability"], "HoardTesting": ["Testing"], "HoardMacroPlugin": ["Macros"], "HoardTestingServer": ["Server"],
    "HoardCommand": ["Command"],
    "HoardEventLoops": ["Redis", "Transports", "Server"], "HoardWire": ["Transports", "Server"],
]
for target in package.targets {
    target.dependencies = target.dependencies.map { dependency in
        guard case .productItem(let name, let package?, let aliases, nil) = dependency else { return dependency }
        return .product(
            name: name,
            package: package,
            moduleAliases: aliases,
            condition: .when(traits: Set((traitsOfTarget[target.name] ?? ["Everything"]).flatMap(enabling)))
        )
    }
}

// Continuous integration and `make test-optimised` build what is tested optimised, as users have it, with the checks of debug builds left in it. The tests themselves are not
// optimised, as that takes longer than all else together; module by module they compile faster. The compiler would otherwise read each of them twice, first for its
// interface alone. Users never set it.
if Context.environment["HOARD_CHECKED"] == "1" {
    for target in package.targets {
        let wholeModule = ["-disable-batch-mode", "-whole-module-optimization", "-no-emit-module-separately-wmo", "-num-threads", "2"]
        target.swiftSettings?.append(.unsafeFlags(wholeModule))
        if target.type != .test, !target.name.hasPrefix("HoardTesting") {
            target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"]))
        }
    }
}

// Scripts/sanitize builds some test targets and what they need, as everything takes long with a sanitizer. Users never set it.
if let names = Context.environment["HOARD_TEST_TARGETS"] {
    var wanted = names.split(separator: " ").map(String.init)
    var kept: Set<String> = []
    while let name = wanted.popLast() {
        guard kept.insert(name).inserted else { continue }
        guard let target = package.targets.first(where: { $0.name == name }) else {
            fatalError("HOARD_TEST_TARGETS names \(name), which is no target.")
        }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): wanted.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { product in
        let names = (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
        return !names.allSatisfy(kept.contains)
    }
}
