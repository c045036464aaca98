// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// What is found after the types are right: only then does the compiler look at these.

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
