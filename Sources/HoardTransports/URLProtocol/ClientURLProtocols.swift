// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if URLSession
    internal import Foundation
    internal import HoardHTTP
    internal import Synchronization

    #if canImport(FoundationNetworking)
        internal import FoundationNetworking
    #endif

    /// The classes that answer for sessions, one for each client: a session knows a class, and no object.
    final class ClientURLProtocols: Sendable {
        static let shared = ClientURLProtocols()

        fileprivate struct Answering: Hashable {
            let client: CachingClient
            let cookieStorage: HTTPCookieStorage?
            let isStreaming: Bool

            static func == (left: Self, right: Self) -> Bool {
                left.client === right.client && left.cookieStorage === right.cookieStorage && left.isStreaming == right.isStreaming
            }

            func hash(into hasher: inout Hasher) {
                hasher.combine(ObjectIdentifier(client))
                hasher.combine(cookieStorage.map { ObjectIdentifier($0) })
                hasher.combine(isStreaming)
            }
        }

        private struct State {
            var classes: [Answering: HoardURLProtocol.Type] = [:]
            var answering: [ObjectIdentifier: Answering] = [:]
            /// Each holds its cache, so that no other can have the same identity.
            var clients: [ObjectIdentifier: CachingClient] = [:]
        }

        private let state = Mutex(State())

        /// The loads of a session have limits of their own.
        private static let generous: URLSessionTransport.Configuration = {
            var configuration = URLSessionTransport.Configuration()
            configuration.maximumRequestBytes = .max
            configuration.readTimeout = .seconds(3_600)
            return configuration
        }()

        private init() {}

        /// The client in front of `cache`, made when it is first asked for.
        func client(for cache: HTTPCache) -> CachingClient {
            state.withLock { state in
                if let client = state.clients[ObjectIdentifier(cache)] { return client }
                let client = CachingClient(transport: URLSessionTransport(checked: Self.generous), cache: cache)
                state.clients[ObjectIdentifier(cache)] = client
                return client
            }
        }

        func protocolClass(for client: CachingClient, cookieStorage: HTTPCookieStorage? = nil, isStreaming: Bool = false) -> HoardURLProtocol.Type {
            let answering = Answering(client: client, cookieStorage: cookieStorage, isStreaming: isStreaming)
            return state.withLock { state in
                if let known = state.classes[answering] { return known }
                let made = Self.makeClass(number: state.classes.count)
                state.classes[answering] = made
                state.answering[ObjectIdentifier(made)] = answering
                return made
            }
        }

        fileprivate func answering(of type: HoardURLProtocol.Type) -> Answering? {
            state.withLock { $0.answering[ObjectIdentifier(type)] }
        }

        /// A class of its own for each number, whose binary digits are its parameter.
        private static func makeClass(number: Int) -> HoardURLProtocol.Type {
            func make<Digits>(_: Digits.Type, _ rest: Int) -> HoardURLProtocol.Type {
                if rest == 0 { return ClientURLProtocol<Digits>.self }
                return rest & 1 == 0 ? make(Even<Digits>.self, rest >> 1) : make(Odd<Digits>.self, rest >> 1)
            }
            return make(Never.self, number)
        }
    }

    private enum Even<Digits> {}
    private enum Odd<Digits> {}

    /// Answers with the client that the class was made for.
    private final class ClientURLProtocol<Number>: HoardURLProtocol {
        override static var client: CachingClient? { ClientURLProtocols.shared.answering(of: self)?.client }
        override static var cookieStorage: HTTPCookieStorage? { ClientURLProtocols.shared.answering(of: self)?.cookieStorage }
        override static var isStreaming: Bool { ClientURLProtocols.shared.answering(of: self)?.isStreaming ?? super.isStreaming }
    }
#endif
