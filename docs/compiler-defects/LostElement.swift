// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Run: swiftc -O LostElement.swift && ./LostElement
// It must print "1 1", "2 2" and "3 3", as it does with -Onone. See docs/compiler-defects.md.

@inline(never) func text(_ number: Int) async throws -> String { String(repeating: "x", count: number) }

await withTaskGroup(of: (Int, String?).self) { group in
    for number in 1...3 {
        group.addTask {
            do { return (number, try await text(number)) } catch { return (number, nil) }
        }
    }
    for await (number, text) in group { print(number, text?.count ?? -1) }
}
