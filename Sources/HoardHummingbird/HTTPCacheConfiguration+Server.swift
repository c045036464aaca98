// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP

extension HTTPCache.Configuration {
    /// A cache for a server, which serves many users: mode ``CacheMode/shared``. All else is as by default.
    public static var server: Self {
        var configuration = Self()
        configuration.mode = .shared
        return configuration
    }
}
