// swift-tools-version: 6.2
// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// The rivals of the package's own candidates, as a list: `lmdb`, `rocksdb` and `store` (today's `DiskStore`, for which Hoard and its packages are
/// built). Without it, the package needs nothing but the system's SQLite.
let rivals = Set((Context.environment["DISK_CANDIDATES_WITH"] ?? "").split(separator: ",").map(String.init))

let swiftSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + rivals.sorted().map { .define("WITH_" + $0.uppercased()) }

let package = Package(
    name: "disk-candidates",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "disk-candidates", targets: ["DiskCandidates"]),
        .executable(name: "two-levels", targets: ["TwoLevels"]),
    ],
    dependencies: rivals.contains("store") ? [.package(name: "hoard", path: "../..", traits: ["Disk"])] : [],
    targets: [
        // SQLite's C interface, which the system has.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // The engine: records in segment files, an index in memory. Needs nothing else, and is meant to move into HoardDisk.
        .target(name: "Segments", dependencies: ["CSegments"], swiftSettings: swiftSettings),
        // A system call that Swift's Glibc does not have.
        .target(name: "CSegments"),

        // One protocol for all shapes, the queue in front of them, and the shapes.
        .target(
            name: "Candidates",
            dependencies: ["CSQLite", "Segments"] + (rivals.contains("lmdb") ? ["CLMDB"] : []) + (rivals.contains("rocksdb") ? ["CRocksDB"] : []),
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "DiskCandidates",
            dependencies: ["Candidates", "Segments"] + (rivals.contains("store") ? ["TodaysStore"] : []),
            swiftSettings: swiftSettings
        ),

        // Eviction and admission of a disk tier below a memory tier, on access traces.
        .executableTarget(name: "TwoLevels", swiftSettings: swiftSettings),

        // Writes into a store until it is killed. For the tests.
        .executableTarget(name: "SegmentsWorker", dependencies: ["Segments"], swiftSettings: swiftSettings),
        .testTarget(name: "SegmentsTests", dependencies: ["Segments", "SegmentsWorker"], swiftSettings: swiftSettings),
    ]
)

if rivals.contains("lmdb") {
    package.targets.append(.systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]))
}
if rivals.contains("rocksdb") {
    package.targets.append(.systemLibrary(name: "CRocksDB", pkgConfig: "rocksdb", providers: [.apt(["librocksdb-dev"])]))
}
if rivals.contains("store") {
    package.targets.append(
        .target(
            name: "TodaysStore",
            dependencies: ["Candidates", .product(name: "Hoard", package: "hoard"), .product(name: "HoardDisk", package: "hoard")],
            swiftSettings: swiftSettings
        )
    )
}
