// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The types of component by their names in JSON.
///
/// ```swift
/// var registry = ComponentRegistry.standard
/// registry.register(Rating.self)
/// registry.register(Rating.self, as: "shop:stars")   // an older name of it
/// ```
///
/// A registry is a value: a ``ComponentCoder`` keeps the one that it was given. Names are compared without regard to case.
public struct ComponentRegistry: Sendable {
    private var types: [String: any ServerDrivenComponent.Type] = [:]

    /// A registry without any type.
    public init() {}

    /// A registry of types under their own names.
    public init(_ types: [any ServerDrivenComponent.Type]) {
        for type in types { register(type) }
    }

    /// Hoard's own components: ``ContainerComponent``, ``TextComponent``, ``ImageComponent``, ``ButtonComponent``, ``ListViewComponent`` and ``ScreenComponent``.
    public static let standard = Self([
        ContainerComponent.self, TextComponent.self, ImageComponent.self, ButtonComponent.self, ListViewComponent.self, ScreenComponent.self,
    ])

    /// Registers a type under its own name, in place of another that has it. O(1).
    public mutating func register(_ type: any ServerDrivenComponent.Type) {
        register(type, as: type.typeName)
    }

    /// Registers a type under another name as well, in place of another type that has it. Only decoding uses it; the component is encoded under its own name. O(1).
    public mutating func register(_ type: any ServerDrivenComponent.Type, as name: String) {
        types[name.lowercased()] = type
    }

    /// The type that a name stands for; `nil` if there is none. O(1).
    public func type(named name: String) -> (any ServerDrivenComponent.Type)? {
        types[name] ?? types[name.lowercased()]
    }

    /// All names, in the order of the alphabet and in lower case.
    public var names: [String] { types.keys.sorted() }
}
