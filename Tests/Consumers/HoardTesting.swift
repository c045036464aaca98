// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Testing
// packages: swift-asn1 swift-atomics swift-collections swift-crypto swift-http-structured-headers swift-http-types swift-nio swift-system

import Hoard
import HoardTesting

let time = ManualTicker()
let cache = Cache<String, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)), ticker: time)
cache["answer"] = 42
time.advance(by: .seconds(61))
precondition(cache["answer"] == nil)
