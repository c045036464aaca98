// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// Run: swiftc -O -parse-as-library TaskLocalClosure.swift && ./TaskLocalClosure
// It must print "7", as it does with -Onone. See docs/compiler-defects.md.

enum Numbers {
    @TaskLocal static var source: @Sendable () -> Int = { 0 }
}

protocol Program: Sendable {
    func run() async -> Int
}

extension Program {
    func outcome() async -> Int {
        let number = 7
        return await Numbers.$source.withValue({ number }) { await run() }
    }
}

struct YieldingProgram: Program {
    func run() async -> Int {
        await Task.yield()
        return Numbers.source()
    }
}

@main struct Main {
    static func main() async { print(await YieldingProgram().outcome()) }
}
