// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension HTTPCacheExplanation: CustomStringConvertible {
    /// The explanation in words, one fact in each line.
    public var description: String {
        var lines = [uri]
        lines += stored.map(\.lines) ?? ["Nothing that the request selects is stored."]
        lines += variants?.lines ?? []
        lines.append("A GET would be \(outcome.words): \(reason)")
        if let lastDecision { lines.append("The last response: \(lastDecision)") }
        return lines.joined(separator: "\n")
    }
}

extension HTTPCacheExplanation.Reason: CustomStringConvertible {
    /// The sentence, with the section of the rule.
    public var description: String { "\(sentence) (\(section))" }
}

extension HTTPCacheExplanation.Outcome {
    fileprivate var words: String {
        switch base {
        case .answered: "answered from the cache"
        case .answeredAndRefreshed: "answered from the cache, and the response revalidated behind it"
        case .validated: "sent to the origin with the validators of what is stored"
        case .completed: "sent to the origin for the range that is missing"
        case .forwarded: "sent to the origin"
        }
    }
}

extension HTTPCacheExplanation.Stored {
    fileprivate var lines: [String] {
        var lines = ["Stored: a response with status \(status), received or confirmed on \(HTTPDate(received))."]
        lines.append(
            "Age: \(age) s of \(lifetime) s, \(sourceInWords). \(timeToLive > 0 ? "Fresh for another \(timeToLive) s." : "Stale for \(-timeToLive) s.")"
        )
        if let staleProhibition { lines.append("Never stale: \(staleProhibition)") }
        let validators = [entityTag.map { "ETag \($0)" }, lastModified.map { "Last-Modified \($0)" }].compactMap { $0 }
        let joined = validators.joined(separator: ", ")
        lines.append(validators.isEmpty ? "Validators: none, so it cannot be revalidated." : "Validators: \(joined) (RFC 9110 §8.8).")
        if !vary.isEmpty { lines.append("Selected by: \(vary.joined(separator: ", ")) (RFC 9111 §4.1).") }
        if !tags.isEmpty { lines.append("Tags: \(tags.joined(separator: ", ")).") }
        if !groups.isEmpty { lines.append("Groups: \(groups.joined(separator: ", ")).") }
        let whole = completeBytes.map { "\($0) bytes" } ?? "an unknown number of bytes"
        lines.append(isComplete ? "Content: all \(storedBytes) bytes." : "Content: \(storedBytes) bytes of \(whole) (RFC 9111 §3.3).")
        return lines
    }

    private var sourceInWords: String {
        switch lifetimeSource {
        case "policy": "from the owner's policy for it"
        case "heuristic": "guessed from Last-Modified (RFC 9111 §4.2.2)"
        case "none": "since nothing says how long it is fresh (RFC 9111 §4.2.1)"
        default: "from \(lifetimeSource) (RFC 9111 §4.2.1)"
        }
    }
}
