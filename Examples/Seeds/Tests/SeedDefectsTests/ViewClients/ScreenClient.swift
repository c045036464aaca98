// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import HoardViews
import Synchronization

/// The client of “View Client”: screens by path, fetched when they are shown or before.
protocol ScreenClient: Sendable {
    func fetch(_ path: String, as user: String, completion: @escaping @Sendable (Result<any ServerDrivenComponent, any Error>) -> Void)

    /// - Parameter completion: Called when it is over.
    /// - Returns: A function that cancels it; `nil` if it cannot be cancelled.
    func prefetch(_ path: String, as user: String, completion: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?

    func logOut(_ user: String) async
}

extension ScreenClient {
    /// The text on the screen, or the error, in brackets.
    func text(_ path: String, as user: String = "anna") async -> String {
        switch await calls({ fetch(path, as: user, completion: $0) }).first {
        case .success(let component): (component as? TextComponent)?.text ?? "[no text]"
        case .failure(let error): "[\(error)]"
        case nil: "[no completion]"
        }
    }

    func prefetch(_ path: String, as user: String = "anna") async {
        _ = await calls { (completion: @escaping @Sendable (Bool) -> Void) in _ = prefetch(path, as: user) { completion(true) } }
    }
}

/// Makes a client over a transport, with empty caches.
typealias MakeScreenClient = (_ transport: FakeTransport, _ coder: CountingCoder, _ time: ManualTicker) -> any ScreenClient

/// Counts the components that it decodes.
final class CountingCoder: ComponentCoding {
    private let coder = ComponentCoder()
    private let count = Mutex(0)

    var decodingCount: Int { count.withLock { $0 } }

    func decode(_ data: Data) throws(ComponentCodingError) -> any ServerDrivenComponent {
        count.withLock { $0 += 1 }
        return try coder.decode(data)
    }

    func encode(_ component: any ServerDrivenComponent) throws(ComponentCodingError) -> Data { try coder.encode(component) }
}
