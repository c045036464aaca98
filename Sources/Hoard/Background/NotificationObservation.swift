// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    internal import Foundation

    /// An observation of the app's notifications, as long as it is kept.
    ///
    /// Notifications are named by text, since UIKit, AppKit and WatchKit, which have constants for them, cannot be imported everywhere.
    ///
    /// Unchecked because the one field is constant, and its tokens are only given back.
    package final class NotificationObservation: @unchecked Sendable {
        private let tokens: [any NSObjectProtocol]

        package init(ofNames names: [String], _ action: @escaping @Sendable () -> Void) {
            tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in action() }
            }
        }

        deinit {
            for token in tokens { NotificationCenter.default.removeObserver(token) }
        }
    }
#endif
