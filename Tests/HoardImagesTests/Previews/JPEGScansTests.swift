// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && os(Linux)
    import Foundation
    import HoardTesting
    import Testing

    @testable import HoardImages

    @Suite struct JPEGScansTests {
        /// The ends of all scans, found in all bytes at once: each scan's header is followed by bytes without a marker.
        private func ends(of data: Data) -> [Int] {
            let bytes = Array(data)
            var (ends, isInScan, index) = ([Int](), false, 2)
            while index + 1 < bytes.count {
                if isInScan {
                    if bytes[index] == 0xFF, bytes[index + 1] != 0, !(0xD0...0xD7).contains(bytes[index + 1]) {
                        ends.append(index)
                        isInScan = false
                    } else {
                        index += 1
                    }
                } else if bytes[index + 1] == 0xD9 {
                    break
                } else {
                    isInScan = bytes[index + 1] == 0xDA
                    index += 2 + Int(bytes[index + 2]) * 256 + Int(bytes[index + 3])
                }
            }
            return ends
        }

        private func read(_ data: Data, _ lengths: [Int]) -> (JPEGScans, seen: [Int]) {
            var scans = JPEGScans()
            var seen: [Int] = []
            for length in lengths {
                data.prefix(length).withUnsafeBytes { scans.read(ByteReader($0)) }
                if scans.completeEnd > seen.last ?? 0 { seen.append(scans.completeEnd) }
            }
            return (scans, seen)
        }

        @Test func eachScanIsSeenAsSoonAsItsEndHasArrived() {
            var generator = SeededGenerator(seed: 3)
            for side in [1, 16, 61] {
                let data = Picture.noise(side, side, using: &generator).jpeg(quality: 70, isProgressive: true)
                let ends = ends(of: data)
                #expect(ends.count > 5)
                let (scans, seen) = read(data, Array(0...data.count))
                #expect(seen == ends)
                #expect(scans.isAtEnd)
            }
        }

        @Test func cutsAtAnyPlacesComeToTheSame() {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let data = Picture.noise(40, 40, using: &generator).jpeg(quality: 70, isProgressive: true)
            let ends = ends(of: data)
            for _ in 0..<200 {
                let last = Int.random(in: 0...data.count, using: &generator)
                let cuts = (0..<3).map { _ in Int.random(in: 0...last, using: &generator) }.sorted() + [last]
                // The marker behind a scan is two bytes long.
                #expect(read(data, cuts).0.completeEnd == ends.last { $0 + 2 <= last } ?? 0, "seed \(seed)")
            }
        }

        @Test func otherPicturesHaveNoScans() {
            let picture = Picture.gradient(20, 20)
            for data in [picture.jpeg(), picture.png(), Data(), Data("GIF89a".utf8), Data([0xFF, 0xD8, 0xFF])] {
                #expect(read(data, Array(0...data.count)).0.completeEnd == 0)
            }
        }

        @Test func damagedBytesNeverCrash() {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            let data = Picture.noise(16, 16, using: &generator).jpeg(quality: 70, isProgressive: true)
            for _ in 0..<2_000 {
                var damaged = data
                for _ in 0..<3 { damaged[Int.random(in: 0..<data.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
                let (scans, _) = read(damaged, [Int.random(in: 0...data.count, using: &generator), data.count])
                #expect(scans.completeEnd <= data.count, "seed \(seed)")
            }
        }
    }
#endif
