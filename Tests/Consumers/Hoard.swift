// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits:
// packages:

import Hoard

let cache = Cache<String, Int>(maximumCount: 100, expiration: .afterWrite(.seconds(60)))
cache["answer"] = 42
let tiers = TieredCache<String, Int>(configuration: .init(maximumCount: 100), stores: [MemoryStore()], codec: .json)
let loaded = try await tiers.value(forKey: "answer") { _ in 42 }
precondition(cache["answer"] == loaded)
