// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Server
// packages: swift-asn1 swift-atomics swift-collections swift-crypto swift-http-structured-headers swift-http-types swift-log swift-nio swift-nio-http2 swift-nio-ssl swift-system

import HoardTestingServer

let origin = try await FakeOrigin.start { _ in .init("Hello") }
print(origin.url)
await origin.stop()
