// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0
//
// traits: Macros
// packages: swift-syntax

import Hoard
import HoardMacros

let squares = Cache<Int, Int>(maximumCount: 10)

@Cached(in: squares)
func square(of number: Int) async throws -> Int { number * number }

let four = try await square(of: 2)
precondition(four == 4 && squares.value(forKey: 2) == 4, "The cache has not kept the value.")
