// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    public import Hoard
    public import HoardModels
    public import SwiftUI

    /// Shows a value of a `TieredCache`: the kept value at once, then the loaded one, then every change, as long as the
    /// view is on the screen.
    ///
    /// ```swift
    /// CachedContent(users, forKey: id) { id in try await server.user(id) } content: { user in
    ///     if let name = user.value?.name { Text(name) } else { ProgressView() }
    /// }
    /// ```
    ///
    /// Another key shows another value, and ends the work for the old one. The other parameters count as long as the
    /// key is the same.
    public struct CachedContent<Key: Hashable & Sendable, Value: Sendable, Content: View>: View {
        private struct ID: Hashable {
            var cache: ObjectIdentifier
            var key: Key
        }

        private let id: ID
        private let make: @MainActor () -> ObservedValue<Key, Value>
        private let content: (ObservedValue<Key, Value>) -> Content
        @State private var holder = ModelHolder<ID, ObservedValue<Key, Value>>()

        /// Shows the value of a key.
        ///
        /// - Parameters:
        ///   - policy: The policy for the loads. By default the cache's policy.
        ///   - tags: Labels that a loaded value gets.
        ///   - refresh: When a new value is loaded although there is a fresh one.
        ///   - content: The view for a state of the value. Its `refresh()` is for the modifier `refreshable`.
        public init(
            _ cache: TieredCache<Key, Value>,
            forKey key: Key,
            policy: CachePolicy? = nil,
            tags: Set<String> = [],
            refresh: RefreshPolicy = RefreshPolicy(),
            load: @escaping @Sendable (Key) async throws -> Value,
            @ViewBuilder content: @escaping (ObservedValue<Key, Value>) -> Content
        ) {
            id = ID(cache: ObjectIdentifier(cache), key: key)
            make = { ObservedValue(cache, forKey: key, policy: policy, tags: tags, refresh: refresh, load: load) }
            self.content = content
        }

        public var body: some View {
            let model = holder.model(for: id, make)
            // One view whatever the content is, and also if that is none yet.
            ZStack { content(model) }.task(id: id) { await model.run() }
        }
    }
#endif
