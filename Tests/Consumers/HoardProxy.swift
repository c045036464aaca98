// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Proxy
// packages: Yams swift-asn1 swift-atomics swift-collections swift-crypto swift-distributed-tracing swift-http-structured-headers swift-http-types swift-log swift-nio swift-nio-http2 swift-nio-ssl swift-system

import HoardProxy
import Logging

var configuration = CachingProxy.Configuration(origin: try Origin("http://127.0.0.1:1"))
configuration.listeners = [.init(.tcp(host: "127.0.0.1", port: 0))]
let proxy = try await CachingProxy.start(configuration: configuration, stores: [], logger: Logger(label: "consumer"))
print(proxy.address)
await proxy.shutdown()
