// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension CachingProxy.Configuration {
    /// The interface at which operators watch and control a proxy.
    public struct Admin: Sendable, Hashable {
        /// Its own address. It must not be reachable by strangers.
        public var address: Listener.Address
        /// The token that requests must have to change anything, as `Authorization: Bearer …`. `nil`: there are no such requests.
        public var token: String?

        /// The names, beside addresses and `localhost`, by which browsers may ask for it; `*.example.com` for all below one. Others are refused, as a stranger's page could have its own name lead here.
        public var hostNames: [String] = []

        /// Creates an admin address. Without a token nothing can be changed there.
        public init(address: Listener.Address, token: String? = nil) {
            self.address = address
            self.token = token
        }
    }
}
