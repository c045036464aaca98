// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Looks closer at the lines of an access log: follows rules for their targets, and tells a profile of them.
///
/// A log that is only replayed has none, and its lines cost nothing for it.
final class LogReading {
    /// The profile that is told of each line; `nil` if none is made.
    let profile: SiteProfile?
    private let ignoredParameters: IgnoredParameters
    /// Beginnings of paths, the longest first.
    private let lifetimes: [(path: [UInt8], lifetime: UInt64)]
    private let bypassedPaths: [[UInt8]]

    init(rules: TraceRules, profile: SiteProfile? = nil) {
        self.profile = profile
        ignoredParameters = IgnoredParameters(rules.ignoredParameters)
        lifetimes = rules.lifetimes.sorted { ($1.key.utf8.count, $0.key) < ($0.key.utf8.count, $1.key) }.map { (Array($0.key.utf8), $0.value) }
        bypassedPaths = rules.bypassedPaths.map { Array($0.utf8) }
    }

    /// Looks at the target of a line, whose key has been set.
    ///
    /// - Parameters:
    ///   - target: The path and the query.
    ///   - seed: The hash of the host.
    func read(_ bytes: Span<UInt8>, _ target: Range<Int>, seed: UInt64, into line: inout LogLine) {
        let pathEnd = bytes.firstIndex(of: UInt8(ascii: "?"), from: target.lowerBound, to: target.upperBound) ?? target.upperBound
        let path = target.lowerBound..<pathEnd
        if pathEnd < target.upperBound, !ignoredParameters.isEmpty {
            var kept: [UInt8] = []
            bytes.append(path, to: &kept)
            ignoredParameters.appendOthers(of: bytes, pathEnd + 1..<target.upperBound, to: &kept)
            line.key = kept.withSpan { $0.hash(0..<$0.count, seed: seed) }
        }
        line.lifetime = lifetimes.first { bytes.starts(path, with: $0.path) }?.lifetime
        line.isBypassed = bypassedPaths.contains { bytes.starts(path, with: $0) }
        if profile != nil {
            bytes.append(path, to: &line.path)
            if pathEnd < target.upperBound { bytes.append(pathEnd + 1..<target.upperBound, to: &line.query) }
        }
    }
}

extension Span where Element == UInt8 {
    /// Appends some of the bytes to an array.
    func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
        extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// Whether some of the bytes begin with others.
    func starts(_ range: Range<Int>, with text: [UInt8]) -> Bool {
        guard range.count >= text.count else { return false }
        for offset in text.indices where text[offset] != self[range.lowerBound + offset] { return false }
        return true
    }
}
