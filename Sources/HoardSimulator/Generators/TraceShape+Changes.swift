// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// The families that change while they last, and the loop.
extension TraceShape {
    mutating func loop() -> any KeyStream {
        let loop = LoopKeys(space: keySpace(), size: keys(number(in: 1.01...1.4)))
        let noise = element(of: [0, 0, 0.02, 0.1])
        return Mixture([loop, OneShotKeys(space: keySpace())], shares: [1 - noise, noise])
    }

    mutating func phases() -> any KeyStream {
        let nearest = number(in: 0.15...0.5)
        let pairs = pairs(nearest...nearest + number(in: 0.02...0.2))
        let size = number(in: 1.1...1.8)
        let lengths = [keys(size * element(of: [2.0, 3, 5, 8])), keys(element(of: [1.5, 3, 6, 10]))]
        return Phases([LoopKeys(space: keySpace(), size: keys(size)), pairs], lengths: lengths, variation: element(of: [0, 0.1]))
    }

    mutating func widepin() -> any KeyStream {
        let nearest = number(in: 0.3...0.6)
        let first = pairs(nearest...nearest + number(in: 0.02...0.15))
        let loop = LoopKeys(space: keySpace(), size: keys(number(in: 1.05...1.5)))
        let hot = HotKeys(space: keySpace(), size: keys(number(in: 0.5...0.9)), skew: 1)
        let scan = Mixture([hot, OneShotKeys(space: keySpace())], shares: [0.4, 0.6])
        let second: any KeyStream = element(of: [true, false]) ? loop : scan
        return Phases([first, second], lengths: [max(1, Int(Double(length) * number(in: 0.3...0.6))), length])
    }

    mutating func drift() -> any KeyStream {
        let nearest = number(in: 0.1...0.5)
        let pairs = pairs(nearest...nearest + number(in: 0.02...0.2))
        let hot = hotKeys(number(in: 0.2...2))
        let loop = LoopKeys(space: keySpace(), size: keys(number(in: 0.5...1.5)))
        let streams: [any KeyStream] = [hot, pairs, OneShotKeys(space: keySpace()), loop]
        let from = streams.map { _ in number(in: 0...1) }
        let to = streams.map { _ in number(in: 0...1) }
        return Mixture(streams, from: from, to: to, period: length / element(of: [1, 2, 4]))
    }

    mutating func crash() -> any KeyStream {
        let workingSet = HotKeys(space: keySpace(), size: keys(number(in: 0.4...1.1)), skew: element(of: [1, 2, 3]))
        let stay = keys(number(in: 3...12))
        let scan = element(of: [0, keys(number(in: 0.3...2))])
        return Crashes(workingSet, OneShotKeys(space: keySpace()), stay: stay, scan: scan, noise: element(of: [0, 0.1, 0.3]))
    }

    mutating func tenants() -> any KeyStream {
        let families = TraceFamily.all.filter { $0 != .tenants }
        let whole = (capacity: capacity, length: length)
        defer { (capacity, length) = whole }
        let part = number(in: 0.3...0.7)
        length = whole.length / 2
        let tenants = [part, 1 - part].map { part in
            capacity = max(16, Int(part * Double(whole.capacity)))
            return element(of: families).makeKeys(&self)
        }
        return Mixture(tenants, shares: [number(in: 0.3...0.7), 0.5])
    }
}
