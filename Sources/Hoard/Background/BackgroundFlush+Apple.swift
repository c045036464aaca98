// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    internal import Foundation

    extension BackgroundFlush {
        /// Starts to observe the app. Works in extensions too.
        ///
        /// - Parameter flush: Writes the values that wait, such as ``TieredCache/flush()``. Called on a background task.
        public convenience init(flush: @escaping @Sendable () async -> Void) {
            self.init(background: SystemBackground(), flush: flush)
        }
    }

    private struct SystemBackground: AppBackground {
        /// The names of an app's, an extension's and a watch app's notifications, which UIKit, Foundation and WatchKit give constants.
        private static let departures = [
            "UIApplicationDidEnterBackgroundNotification", "NSExtensionHostDidEnterBackgroundNotification",
            "WKApplicationDidEnterBackgroundNotification",
        ]

        func observeDepartures(_ action: @escaping @Sendable () -> Void) -> any Sendable {
            NotificationObservation(ofNames: Self.departures, action)
        }

        func performExpiringActivity(reason: String, _ activity: @escaping @Sendable (Bool) -> Void) {
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: activity)
        }
    }
#endif
