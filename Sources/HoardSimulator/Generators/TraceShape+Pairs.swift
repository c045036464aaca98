// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

// The families that a small window does not see.
extension TraceShape {
    mutating func hotKeys(_ share: Double) -> HotKeys {
        HotKeys(space: keySpace(), size: keys(share), skew: element(of: [1, 1, 2, 3]))
    }

    /// Keys that come `times` times, at distances that are shares of the capacity.
    mutating func pairs(_ distances: ClosedRange<Double>, times: Int = 2) -> PairedKeys {
        let range = keys(distances.lowerBound)...max(keys(distances.lowerBound), keys(distances.upperBound))
        return PairedKeys(space: keySpace(), distances: range, times: times)
    }

    mutating func trickle() -> any KeyStream {
        let nearest = number(in: 0.1...0.4)
        let farthest = min(0.5, nearest + number(in: 0.02...0.2))
        let hot = hotKeys(number(in: 0.15...(0.95 - farthest)))
        let hotShare = number(in: 0.4...0.9)
        return Mixture([hot, pairs(nearest...farthest)], shares: [hotShare, 1 - hotShare])
    }

    mutating func whisper() -> any KeyStream {
        let nearest = number(in: 0.05...0.3)
        let farthest = nearest + number(in: 0.02...0.2)
        let noise = number(in: 0.05...0.3)
        let hot = hotKeys(number(in: 0.15...(0.9 - farthest)))
        // The distance is one in all new keys, of which few are of pairs.
        let share = 0.01
        let part = share / 2 / (noise + share / 2)
        let pairs = pairs(nearest * part...farthest * part)
        return Mixture([hot, pairs, OneShotKeys(space: keySpace())], shares: [1 - noise - share, share, noise])
    }

    mutating func band() -> any KeyStream {
        let nearest = number(in: element(of: [0.11...0.2, 0.31...0.45, 0.61...0.75]))
        let farthest = nearest * number(in: 1.02...1.3)
        let hotShare = number(in: 0...0.5)
        let hot = hotKeys(min(0.3, max(0.02, 0.9 - farthest)))
        return Mixture([hot, pairs(nearest...farthest, times: element(of: [2, 2, 3, 5]))], shares: [hotShare, 1 - hotShare])
    }
}
