// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension HTTPCacheExplanation {
    /// The stored variants of a URI, which request fields select: [RFC 9111 §4.1](https://www.rfc-editor.org/rfc/rfc9111#section-4.1).
    public struct Variants: Hashable, Sendable, Codable {
        /// The number of stored variants.
        public let count: Int
        /// The most variants that are kept (``HTTPCache/Configuration/maximumVariants``).
        public let limit: Int
        /// The fields that responses have named in `Vary`, in lower case and in order.
        public let fields: [String]
        /// The fields with about as many values as there are clients, so that hardly any response is used again.
        public let unboundedFields: [String]
    }
}

extension HTTPCacheExplanation.Variants {
    init(_ index: VariantIndex, limit: Int) {
        count = index.variants.count
        self.limit = limit
        fields = Set(index.fieldNameSets.joined()).sorted()
        unboundedFields = fields.filter(Self.isUnbounded)
    }

    /// Whether clients differ in a field: by browser and version, by the pages that they have visited, by their
    /// identity, or by the hints that [RFC 8942](https://www.rfc-editor.org/rfc/rfc8942) lets a server ask for.
    private static func isUnbounded(_ name: String) -> Bool {
        switch name {
        case "authorization", "cookie", "referer", "user-agent", "x-forwarded-for", "forwarded", "dpr", "width", "viewport-width", "downlink", "rtt":
            true
        default: name.hasPrefix("sec-ch-") && !["sec-ch-ua-mobile", "sec-ch-prefers-color-scheme", "sec-ch-prefers-reduced-motion"].contains(name)
        }
    }

    var lines: [String] {
        var lines = ["Variants of the URI: \(count) of at most \(limit), by \(fields.joined(separator: ", ")) (RFC 9111 §4.1)."]
        if !unboundedFields.isEmpty {
            lines.append(
                "Nearly every client has values of its own in \(unboundedFields.joined(separator: ", ")): let the origin leave it out of Vary, "
                    + "or give all requests one value of it."
            )
        }
        return lines
    }
}
