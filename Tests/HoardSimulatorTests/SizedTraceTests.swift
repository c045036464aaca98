// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Hoard
@testable import HoardSimulator

extension SharedTraces {
    /// The requests of an access trace with sizes. The simulator does not read sizes.
    fileprivate static func sizedRequests(of name: String) throws -> [SizedRequest] {
        let source = try TextSource(path: "\(directory)/\(name).txt.gz", name: name, partByteCount: 1 << 16)
        var (text, part) = ([UInt8](), Array(repeating: UInt8(0), count: 1 << 16))
        while case let count = try source.read(into: &part), count > 0 { text += part[..<count] }
        return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let numbers = line.split(separator: UInt8(ascii: " ")).compactMap { Int(String(decoding: $0, as: UTF8.self)) }
            return numbers.count == 2 ? SizedRequest(key: numbers[0], size: max(1, numbers[1])) : nil
        }
    }
}

@Suite(.enabled(if: SharedTraces.arePresent, "there is no ../shared/traces beside the package"), .timeLimit(.minutes(5)))
struct SizedTraceTests {
    /// Means over capacities of 1, 5, 20 and 50 % of all bytes.
    @Test(arguments: ["webcachesim", "cloudphysics_io"])
    func cacheHitsMoreBytesThanLRUAndGDSFAndMoreObjectsThanLRU(name: String) throws {
        let requests = try SharedTraces.sizedRequests(of: name)
        let total = Dictionary(requests.map { ($0.key, $0.size) }, uniquingKeysWith: max).values.reduce(0, +)
        var (lru, gdsf, objects, bytes) = (SizedHits(), SizedHits(), SizedHits(), SizedHits())
        for capacity in [total / 100, total / 20, total / 5, total / 2] {
            add(SizedModel.lru.hits(of: requests, capacity: capacity), to: &lru)
            add(SizedModel.gdsf.hits(of: requests, capacity: capacity), to: &gdsf)
            add(hits(of: requests, capacity: capacity, favouring: .objects), to: &objects)
            add(hits(of: requests, capacity: capacity, favouring: .bytes), to: &bytes)
        }
        #expect(bytes.bytes > lru.bytes, "\(name)")
        #expect(bytes.bytes > gdsf.bytes, "\(name)")
        #expect(objects.objects > lru.objects, "\(name)")
    }

    private func add(_ hits: SizedHits, to sum: inout SizedHits) {
        sum.objects += hits.objects
        sum.bytes += hits.bytes
    }
}
