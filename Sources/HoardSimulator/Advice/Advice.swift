// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A change of a cache, or of its responses, that an access trace speaks for.
public struct Advice: Hashable, Sendable {
    /// The fault that the advice is about.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// More memory would be used.
        public static var moreMemory: Self { Self(description: #function) }
        /// Less memory would do.
        public static var lessMemory: Self { Self(description: #function) }
        /// Parameters of the query make several objects of one.
        public static var ignoredParameters: Self { Self(description: #function) }
        /// Objects are loaded again though they have not changed.
        public static var longerLifetime: Self { Self(description: #function) }
        /// Objects are not kept though they do not change.
        public static var missingLifetime: Self { Self(description: #function) }
        /// Objects take room, and no client asks for them again.
        public static var bypass: Self { Self(description: #function) }
        /// Requests of different clients get objects of their own.
        public static var variants: Self { Self(description: #function) }
        /// Objects that have not changed are sent again as a whole, for they have no validator.
        public static var validators: Self { Self(description: #function) }
        /// Clients wait while objects are loaded again.
        public static var staleWhileRevalidate: Self { Self(description: #function) }
        /// One object is loaded for several requests at a time.
        public static var collapsing: Self { Self(description: #function) }
        /// Clients see failures of an origin whose answers the cache has had.
        public static var staleIfError: Self { Self(description: #function) }
    }

    /// How much the access trace says for it.
    public struct Certainty: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// It is seen, not concluded.
        public static var certain: Self { Self(description: #function) }
        /// Nothing else is known that looks like it.
        public static var likely: Self { Self(description: #function) }
        /// Something that the access trace does not say has to be true as well.
        public static var possible: Self { Self(description: #function) }
    }

    /// An option of the proxy.
    public struct Setting: Hashable, Sendable {
        /// The beginning of the paths of the route that it belongs to; `nil` if it belongs to `cache`.
        public let path: String?
        /// The option's name.
        public let name: String
        /// The option's value, as it stands in the settings.
        public let value: String
    }

    /// The effect of the change in a simulation.
    public struct Effect: Hashable, Sendable {
        /// The hit ratio without it, from 0 to 1.
        public let before: Double
        /// The hit ratio with it.
        public let after: Double
        /// The arguments of `hoard simulate` that give these ratios.
        public let argumentsBefore: [String]
        /// The arguments for the ratio with the change.
        public let argumentsAfter: [String]
    }

    /// The kind of advice.
    public let kind: Kind
    /// The beginning of the paths that it is about; `nil` if it is about the whole cache.
    public let path: String?
    /// One sentence that names the change.
    public let sentence: String
    /// One sentence with the figures that speak for it.
    public let evidence: String
    /// How certain the advice is.
    public let certainty: Certainty
    /// The options of the proxy that do it; empty if the change is one of the origin.
    public internal(set) var settings: [Setting] = []
    /// The result of a simulation of the change; `nil` if it was not simulated.
    public internal(set) var effect: Effect?
    /// The parameters that it says to ignore.
    var ignoredParameters: [String] = []
    /// How much the hit ratio rises, as far as it was simulated.
    var gain: Double { effect.map { $0.after - $0.before } ?? 0 }
}
