// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Something after which an app may want newer values.
public struct AppEvent: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String, Hashable, Sendable { case foreground, reconnection }
    private let base: Base
    private init(_ base: Base) { self.base = base }

    /// The app has come to the foreground.
    public static var foreground: Self { .init(.foreground) }
    /// The network has come back.
    public static var reconnection: Self { .init(.reconnection) }

    public var description: String { base.rawValue }
}

/// Where a model hears of events.
///
/// ``system`` tells of those of the running app. A test, a command-line tool or a server makes its own.
public struct AppEvents: Sendable {
    let makeStream: @Sendable () -> AsyncStream<AppEvent>

    /// - Parameter makeStream: Called once for each model that begins to listen.
    public init(_ makeStream: @escaping @Sendable () -> AsyncStream<AppEvent>) { self.makeStream = makeStream }

    /// No events at all.
    public static var none: AppEvents { AppEvents { AsyncStream { $0.finish() } } }
}
