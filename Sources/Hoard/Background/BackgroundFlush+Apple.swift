// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    internal import Foundation

    extension BackgroundFlush {
        /// Starts to observe the app. Works in extensions too.
        ///
        /// - Parameter flush: Writes down what waits, such as ``TieredCache/flush()``. Called on a background task.
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
            Observation(Self.departures.map { Notification.Name($0) }, action)
        }

        func performExpiringActivity(reason: String, _ activity: @escaping @Sendable (Bool) -> Void) {
            ProcessInfo.processInfo.performExpiringActivity(withReason: reason, using: activity)
        }
    }

    /// Unchecked because the one field is constant, and what it refers to are tokens that are only given back.
    private final class Observation: @unchecked Sendable {
        private let tokens: [any NSObjectProtocol]

        init(_ names: [Notification.Name], _ action: @escaping @Sendable () -> Void) {
            tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in action() }
            }
        }

        deinit {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
#endif
