// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Disk
// packages: GRDB.swift swift-asn1 swift-crypto

import Foundation
import Hoard
import HoardDisk

let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
let disk = try DiskStore(configuration: .init(directory: directory))
let cache = TieredCache<String, Int>(configuration: .init(maximumCount: 100), stores: [disk], codec: .json)
await cache.insert(42, forKey: "answer")
await cache.flush()
let count = try await disk.statistics().count
precondition(count == 1)
await cache.close()
try FileManager.default.removeItem(atPath: directory)
