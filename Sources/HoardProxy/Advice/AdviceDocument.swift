// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HoardSimulator

/// Advice as JSON, as `hoard advise --json` prints it, and the admin address of a proxy answers it.
package struct AdviceDocument: Codable, Sendable {
    /// How a cache of another size would do.
    package struct Size: Codable, Sendable {
        package var capacity: Int
        package var hitRatio: Double
        package var requests: Int
        package var hits: Int

        /// Whether sums and differences with another such size can be computed.
        fileprivate var isPlausible: Bool { capacity >= 0 && hits >= 0 && hits <= requests }
    }

    /// An option of the proxy. Without a path it belongs to the whole cache.
    package struct Setting: Codable, Sendable {
        package var path: String?
        package var name: String
        package var value: String
    }

    package struct Item: Codable, Sendable {
        package var kind: String
        package var path: String?
        package var sentence: String
        package var evidence: String
        package var certainty: String
        package var settings: [Setting]
        package var hitRatioBefore: Double?
        package var hitRatioAfter: Double?
        /// Lines of a shell that reproduce these.
        package var commandBefore: String?
        package var commandAfter: String?
    }

    /// The access trace; `nil` for a proxy that runs.
    package var trace: String?
    package var requests: Int?
    /// The number of lines that are no requests to simulate.
    package var skippedLines: Int?
    package var objects: Int?
    /// The bytes of all objects.
    package var bytes: Int?
    package var milliseconds: UInt64?
    /// `bytes` or `objects`: the unit of capacities.
    package var unit: String?
    package var recommendedCapacity: Int?
    package var sizes: [Size]?
    package var advice: [Item]
    /// Sentences on questions that could not be judged.
    package var notJudged: [String]
    /// All settings, in YAML.
    package var settings: String

    /// Whether the figures can be counts. A document from a server may say anything.
    package var isPlausible: Bool {
        let counts = [requests, skippedLines, objects, bytes, recommendedCapacity]
        return counts.allSatisfy { $0 ?? 0 >= 0 } && (sizes ?? []).allSatisfy(\.isPlausible)
    }

    /// - Parameter command: The line of a shell for arguments of `hoard simulate`.
    package init(_ advice: [Advice], notJudged: [String], command: ([String]) -> String = { $0.joined(separator: " ") }) {
        self.advice = advice.map { advice in
            Item(
                kind: "\(advice.kind)",
                path: advice.path,
                sentence: advice.sentence,
                evidence: advice.evidence,
                certainty: "\(advice.certainty)",
                settings: advice.settings.map { Setting(path: $0.path, name: $0.name, value: $0.value) },
                hitRatioBefore: advice.effect?.before,
                hitRatioAfter: advice.effect?.after,
                commandBefore: advice.effect.flatMap { $0.argumentsBefore.isEmpty ? nil : command($0.argumentsBefore) },
                commandAfter: advice.effect.flatMap { $0.argumentsAfter.isEmpty ? nil : command($0.argumentsAfter) }
            )
        }
        self.notJudged = notJudged
        settings = AdviceSettings(advice).text
    }

    /// A report on an access trace.
    package init(_ report: Advisor.Report, trace: String, command: ([String]) -> String) {
        self.init(report.advice, notJudged: report.gaps, command: command)
        self.trace = trace
        requests = report.requestCount
        skippedLines = report.skippedCount
        objects = report.keyCount
        bytes = report.distinctBytes
        milliseconds = report.span
        unit = report.distinctBytes == nil ? "objects" : "bytes"
        recommendedCapacity = report.recommended?.capacity
        sizes = report.sizes.map { Size(capacity: $0.capacity, hitRatio: $0.hitRatio, requests: $0.requests, hits: $0.hits) }
    }
}
