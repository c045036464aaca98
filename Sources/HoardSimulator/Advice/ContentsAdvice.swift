// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Advice from the entries of a running cache, and from its miss-ratio curve. It says less than an ``Advisor``, which
/// knows the requests.
package struct ContentsAdvice: Sendable {
    private var queries = QuerySplits()
    private var tree = PathTree()
    /// The number of entries of each URI that has variants, and the fields that tell these apart.
    private var variants: [String: Int] = [:]
    private var variantFields: [String: Int] = [:]
    private var count = 0

    package init() {}

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - variant: The fields of the request on which it depends, and a hash of their values, as in `accept-language #5f2c90aa`; `nil` if on none.
    package mutating func add(uri: String, variant: String?, byteCount: Int) {
        count += 1
        if let variant {
            variants[uri, default: 0] += 1
            variantFields[variant.split(separator: "#").first.map { $0.trimmingBlanks } ?? variant, default: 0] += 1
        }
        guard let question = uri.utf8.firstIndex(of: UInt8(ascii: "?")) else { return }
        let target = Array(uri.utf8[..<question])
        // Behind the host.
        let slashes = target.indices.filter { target[$0] == UInt8(ascii: "/") }
        let path = slashes.count > 2 ? Array(target[slashes[2]...]) : target
        let node = tree.node(for: path)
        let query = Array(uri.utf8[uri.utf8.index(after: question)...])
        let key = Array(uri.utf8).withSpan { $0.hash(0..<$0.count) }
        queries.add(path: target, query: query, key: key, seed: 0, size: byteCount, node: node)
    }

    /// The advice that the entries speak for.
    package var advice: [Advice] {
        SplitQueries.advice(queries, path: tree.path).map(\.advice) + [variantAdvice].compactMap(\.self)
    }

    /// Many URIs with many variants each.
    private var variantAdvice: Advice? {
        let split = variants.filter { $0.value >= 8 }
        let entries = split.values.reduce(0, +)
        guard split.count >= 20, entries * 10 >= count, let field = variantFields.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else {
            return nil
        }
        return Advice(
            .variants,
            path: nil,
            "See whether responses have to depend on \(field): \(split.count) URLs have eight variants or more.",
            evidence: "Of \(count) entries that were looked at, \(entries) are variants of these URLs.",
            .likely
        )
    }

    /// Advice on the size, by a miss-ratio curve for a cache that evicts the least recently used.
    ///
    /// - Parameters:
    ///   - points: Sizes in growing order, and the share of requests that each would miss.
    ///   - requests: How many requests the curve was made from.
    package static func sizeAdvice(points: [(bytes: Int, missRatio: Double)], currentBytes: Int, requests: Int) -> Advice? {
        guard requests >= 5_000, currentBytes > 0, let own = points.last(where: { $0.bytes <= currentBytes }) else { return nil }
        let curve = SizeCurve(points.map { .init(capacity: $0.bytes, hitRatio: 1 - $0.missRatio) })
        guard let place = curve.better(than: .init(capacity: currentBytes, hitRatio: 1 - own.missRatio)) else { return nil }
        let better = points[place]
        // A size that people choose: the next power of two.
        let bytes = 1 << max(20, Int.bitWidth - max(1, better.bytes - 1).leadingZeroBitCount)
        let size = (new: SizeText.text(bytes), old: SizeText.text(currentBytes))
        var advice = Advice.size(
            isMore: better.bytes > currentBytes,
            size,
            evidence: "Of \(requests) requests that were watched, \(Int(Double(requests) * better.missRatio)) would miss, and with \(size.old) "
                + "\(Int(Double(requests) * own.missRatio)), if the least recently used left first.",
            .likely
        )
        advice.effect = .init(before: 1 - own.missRatio, after: 1 - better.missRatio, argumentsBefore: [], argumentsAfter: [])
        return advice
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
