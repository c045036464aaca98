// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// When a model that is shown loads a new value although the one that it has is fresh.
public struct RefreshPolicy: Sendable {
    /// Whether it does when the app comes to the foreground. Default: `true`.
    public var onForeground = true

    /// Whether it does when the network comes back. Default: `true`.
    public var onReconnection = true

    /// A value that is younger than this is left as it is by events. Default: 10 seconds.
    public var minimumAge: Duration = .seconds(10)

    /// The time between two refreshes while it is shown. `nil`, zero or less: never. Default: `nil`.
    public var interval: Duration?

    /// Where it hears of events. Default: ``AppEvents/system``.
    public var events: AppEvents = .system

    /// Creates a policy; change the properties afterwards.
    public init() {}

    /// Never.
    public static var never: RefreshPolicy {
        var policy = RefreshPolicy()
        (policy.onForeground, policy.onReconnection, policy.events) = (false, false, .none)
        return policy
    }

    func concerns(_ event: AppEvent) -> Bool { event == .foreground ? onForeground : onReconnection }
}
