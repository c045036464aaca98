// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import HoardViews

/// The storage of “Gerenciar Cache”: a cache of screens over a disk, which an app opens at its
/// start and leaves at its end.
protocol ScreenStorage: Sendable {
    /// Starts the app: a manager with an empty memory over the present disk.
    func open() async throws -> any CacheManagerProtocol

    /// Ends the app.
    func close() async

    /// The bytes of all screens that are kept, in memory or on the disk, whichever are more.
    func byteCount() async throws -> Int
}

/// Makes a storage in a directory, with a limit in bytes if it can have one.
typealias MakeScreenStorage = (_ directory: String, _ maximumBytes: Int, _ time: ManualTicker) -> any ScreenStorage
