// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

extension HTTPCache.Configuration {
    /// A cache for a server, which serves many users: mode ``CacheMode/shared``. Responses for a store that no other machine reads, such as one on disk,
    /// gather for 5 ms, so that it commits many at once. All else is as by default.
    public static var server: Self {
        var configuration = Self()
        configuration.mode = .shared
        configuration.writeGathering = writeGatheringOfServers
        return configuration
    }
}
