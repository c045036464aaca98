// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Transports
// packages: swift-asn1 swift-atomics swift-collections swift-crypto swift-http-structured-headers swift-http-types swift-nio swift-nio-http2 swift-nio-ssl swift-system

import HoardHTTP
import HoardTransports

let transport = NIOTransport()
do {
    _ = try await CachingClient(transport: transport).get("http://127.0.0.1:1/")
    preconditionFailure("Nobody listens there.")
} catch {
    print(error)
}
await transport.shutdown()
