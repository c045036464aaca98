// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension DiskStore {
    /// The protection of a store's files on a locked device. It has an effect on iOS, tvOS, watchOS and visionOS only.
    ///
    /// Source: [Encrypting your app's files](https://developer.apple.com/documentation/uikit/encrypting-your-app-s-files).
    public struct FileProtection: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The files can be read once the device has been unlocked for the first time after its start. Work in the background finds the store.
        public static var completeUntilFirstUserAuthentication: Self { Self(description: #function) }
        /// The files can be read only while the device is unlocked. A store that is open when the device is locked fails then, and its keys are
        /// misses.
        public static var complete: Self { Self(description: #function) }
        /// The files can always be read, as they are not protected.
        public static var none: Self { Self(description: #function) }
    }
}

extension DiskStore.Event {
    static func directoryNotProtected(_ reason: String) -> Self {
        Self(.directoryNotProtected, "The system did not protect the store's files, or did not leave them out of backups: \(reason)")
    }
}
