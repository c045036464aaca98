// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension DiskStore {
    /// When the files of a store can be read on a device that has been locked. Of importance on iOS, tvOS, watchOS and visionOS alone.
    ///
    /// Source: [Encrypting your app's files](https://developer.apple.com/documentation/uikit/encrypting-your-app-s-files).
    public struct FileProtection: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// From when the device has been unlocked for the first time after it was started. Work in the background finds the store.
        public static var completeUntilFirstUserAuthentication: Self { Self(description: #function) }
        /// Only while the device is unlocked. A store that is open when the device is locked fails then, and its keys are misses.
        public static var complete: Self { Self(description: #function) }
        /// Always: the files are not protected.
        public static var none: Self { Self(description: #function) }
    }
}

extension DiskStore.Event {
    static func directoryNotProtected(_ reason: String) -> Self {
        Self(.directoryNotProtected, "The system did not protect the store's files, or did not leave them out of backups: \(reason)")
    }
}
