// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Errors that the compiler looks for only when the types are right.

final class Box { var count = 0 }

func refused() async {
    let box = Box()
    Task.detached { box.count += 1 }  // refused: sending value of non-Sendable type
    box.count += 1
}

struct Half {
    let number: Int
    init(isKnown: Bool) {
        if isKnown { number = 1 }
    }  // refused: without initializing all stored properties
}
