// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Answers the function's calls from a cache, and runs its body for those that the cache does not know.
///
/// ```swift
/// let users = TieredCache<User.ID, User>(configuration: .init(maximumCount: 10_000), stores: [disk], codec: .json)
///
/// @Cached(in: users, freshFor: .seconds(300), tags: ["user-{id}"])
/// func user(_ id: User.ID) async throws -> User {
///     try await database.user(id)
/// }
///
/// let one = try await user(7)            // runs the body
/// let same = try await user(7)           // does not
/// let new = try await userUncached(7)    // always does, and the cache neither tells nor learns anything
/// await users.removeValues(taggedWith: "user-7")
/// ```
///
/// All callers that ask for the same key meanwhile wait for one run of the body: see ``TieredCache/value(forKey:policy:tags:load:)``. It runs in a task of its own,
/// so that its captures have to be `Sendable`: the parameters, and the instance. A caller that is cancelled gets
/// `CancellationError`. An error that the body throws is thrown by all calls that wait for it, and is not kept.
///
/// **The key.** The type of the cache's keys decides the key.
/// - ``FunctionCall``, such as `TieredCache<FunctionCall<User.ID, Int>, [Post]>`: the function, and all of its parameters. Functions with the same parameters and
///   results can share such a cache.
/// - The type of the only parameter: the parameter alone. So others can read and remove values by it; but functions that share such a cache share their values.
///
/// All parameters are part of the key; each has to be `Hashable & Sendable`. Properties that a body reads of its instance with the word `self`
/// or `super` have to be named in `including` or in `ignoring`. The macro cannot see properties that the body reads **without** the word `self`, nor
/// those that methods and closures read that it calls: name them too.
///
/// **The result.** A function that returns an optional is cached in a cache of the wrapped type; `nil` is remembered as
/// long as ``CachePolicy/negativeFor`` says, which is not at all by default.
///
/// - Parameters:
///   - cache: The name of a ``Cache`` or ``TieredCache`` that is a variable of the module or a static one.
///   - freshFor: How long a value is fresh, from the end of the load. `nil`: as the cache's policy or expiration says.
///   - tags: Labels by which values can be removed or marked stale. In a literal, `{name}` stands for the value of a parameter.
///   - including: Properties of the instance that the value depends on, such as `"locale"`. They become part of the key.
///   - ignoring: Parameters, and properties of the instance, that the value does not depend on: `"progress"`, `"database"`. A property with a parameter's name is
///     `"self.name"`.
@attached(body)
@attached(peer, names: suffixed(Uncached))
public macro Cached<Calls: CallCaching>(
    in cache: Calls,
    freshFor: Duration? = nil,
    tags: Set<String> = [],
    including: [String] = [],
    ignoring: [String] = []
) = #externalMacro(module: "HoardMacroPlugin", type: "CachedMacro")

/// The same with a cache that the instance has.
///
/// ```swift
/// struct Weather {
///     let reports: Cache<FunctionCall<City, Locale>, Report>
///     let locale: Locale
///     let service: WeatherService
///
///     @Cached(in: \Self.reports, including: ["locale"], ignoring: ["service"])
///     func report(for city: City) async throws -> Report {
///         try await self.service.report(city, in: self.locale)
///     }
/// }
/// ```
///
/// - Parameter cache: The key path of a ``Cache`` or ``TieredCache``. `\Self.reports` in a structure, an actor or a final class; `\Weather.reports` everywhere.
@attached(body)
@attached(peer, names: suffixed(Uncached))
public macro Cached<Instance, Calls: CallCaching>(
    in cache: KeyPath<Instance, Calls>,
    freshFor: Duration? = nil,
    tags: Set<String> = [],
    including: [String] = [],
    ignoring: [String] = []
) = #externalMacro(module: "HoardMacroPlugin", type: "CachedMacro")
