// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits:
// packages:

import Hoard
import HoardModels

let users = TieredCache<String, Int>(configuration: .init(maximumCount: 100), stores: [MemoryStore()], codec: .json)
let model = ObservedValue(users, forKey: "answer") { _ in 42 }
await model.refresh()
precondition(model.value == 42)
