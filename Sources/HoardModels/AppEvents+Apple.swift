// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Dispatch
    internal import Hoard
    internal import Network
    internal import Synchronization

    extension AppEvents {
        /// The names of an app's and a watch app's notifications.
        private static let arrivals = [
            "UIApplicationWillEnterForegroundNotification", "NSApplicationDidBecomeActiveNotification",
            "WKApplicationWillEnterForegroundNotification",
        ]

        /// The events of the running app: it comes to the foreground, and the network comes back after it was away.
        public static var system: AppEvents {
            AppEvents {
                AsyncStream { continuation in
                    let observation = NotificationObservation(ofNames: arrivals) { continuation.yield(.foreground) }
                    let monitor = NWPathMonitor()
                    let wasAway = Flag()
                    monitor.pathUpdateHandler = { path in
                        let isAway = path.status != .satisfied
                        if wasAway.set(isAway), !isAway { continuation.yield(.reconnection) }
                    }
                    monitor.start(queue: DispatchQueue(label: "hoard.network"))
                    continuation.onTermination = { _ in
                        withExtendedLifetime(observation) {}
                        monitor.cancel()
                    }
                }
            }
        }
    }

    /// A flag that several threads set.
    private final class Flag: Sendable {
        private let isSet = Atomic(false)

        /// - Returns: The value before.
        @discardableResult
        func set(_ value: Bool) -> Bool { isSet.exchange(value, ordering: .acquiringAndReleasing) }
    }
#else
    extension AppEvents {
        /// There are no apps here that come to the foreground: no events.
        public static var system: AppEvents { .none }
    }
#endif
