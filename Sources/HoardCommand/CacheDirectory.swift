// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import Hoard
internal import HoardDisk

/// The `--directory` option, and the store in the directory it names.
struct CacheDirectory: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The directory of the cache.",
            discussion: "By default the user's own: $XDG_CACHE_HOME/hoard, or ~/.cache/hoard (~/Library/Caches/hoard on macOS).",
            valueName: "dir"
        ),
        completion: .directory
    )
    var directory: String?

    /// The directory to use.
    var path: String {
        directory ?? Self.userDefault(environment: ProcessInfo.processInfo.environment)
    }

    func validate() throws {
        if let directory, directory.isEmpty { throw ValidationError("--directory needs the path of a directory.") }
    }

    /// The user's cache directory for Hoard. Follows the XDG Base Directory Specification, by which a relative `XDG_CACHE_HOME` is ignored.
    static func userDefault(environment: [String: String]) -> String {
        if let base = environment["XDG_CACHE_HOME"], base.hasPrefix("/") { return base + "/hoard" }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        #if canImport(Darwin)
            return home + "/Library/Caches/hoard"
        #else
            return home + "/.cache/hoard"
        #endif
    }

    /// Opens the store for a command that fills it.
    func openStore(onEvent: @escaping @Sendable (DiskStore.Event) -> Void) throws -> DiskStore {
        try DiskStore(configuration: .init(directory: path, onEvent: onEvent))
    }

    /// Opens the store for a command that can do without. Where the user has named no directory, a cache that cannot be opened is no reason to fetch
    /// nothing: that is said, and there is none.
    func openStoreIfPossible() throws -> DiskStore? {
        do {
            return try openStore { event in Terminal.say("hoard: \(event)") }
        } catch let error as StoreError where directory == nil {
            Terminal.say("hoard: going on without a cache on disk: \(error)")
            return nil
        }
    }

    /// Opens a store that must be there already, for a command that looks into it.
    func openExistingStore(
        encryptionKey: DiskStore.EncryptionKey? = nil,
        onEvent: @escaping @Sendable (DiskStore.Event) -> Void
    ) throws -> DiskStore {
        try DiskStore(
            configuration: .init(directory: path, maximumBytes: nil, createsIfMissing: false, encryptionKey: encryptionKey, onEvent: onEvent)
        )
    }
}
