// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public import HoardHTTP
public import Hummingbird

extension HTTPCachePolicy {
    /// A policy by patterns of paths, for ``HTTPCacheOptions/policy``. The first pattern that matches counts.
    ///
    /// ```swift
    /// options.policy = HTTPCachePolicy.matching(["/articles/*": articles, "/assets/**": assets])
    /// ```
    ///
    /// - Parameter policies: By patterns as routes have them: `*` and `:name` stand for one part of the path, `**` for all that follows.
    /// - Returns: A closure that gives paths without a pattern the policy that asks for nothing. Complexity: O(*n*) in the number of patterns.
    public static func matching<Context: RequestContext>(
        _ policies: KeyValuePairs<RouterPath, HTTPCachePolicy>
    ) -> @Sendable (Request, Context) -> HTTPCachePolicy {
        let policies = policies.map { (pattern: PathPattern($0.key), policy: $0.value) }
        return { request, _ in
            let parts = request.uri.path.split(separator: "/")
            return policies.first { $0.pattern.matches(parts) }?.policy ?? HTTPCachePolicy()
        }
    }
}

/// The pattern of a path, matched as the router does.
struct PathPattern: Sendable {
    private let elements: [RouterPath.Element]

    init(_ path: RouterPath) {
        elements = Array(path)
    }

    func matches(_ parts: [Substring]) -> Bool {
        for (index, element) in elements.enumerated() {
            if element == .recursiveWildcard { return index < parts.count }
            guard index < parts.count, element ~= parts[index] else { return false }
        }
        return parts.count == elements.count
    }
}
