// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A part of a screen that a server describes and an app shows: a text, a button, a container of others.
///
/// ```swift
/// struct Rating: ServerDrivenComponent {
///     static let typeName = "shop:rating"
///     var stars: Int
///     var footer: AnyComponent?
/// }
/// ```
///
/// In JSON a component is an object whose discriminator (`_beagleComponent_` by default) names its type. Components that hold others
/// declare them as ``AnyComponent``. A component encodes itself as an object, as the compiler's own `Codable` does.
public protocol ServerDrivenComponent: Codable, Sendable {
    /// The name of the type in JSON, such as `beagle:text`. Compared without regard to case.
    static var typeName: String { get }

    /// The components directly in this one, in the order in which they are shown.
    ///
    /// Unless a component says otherwise: those that its stored properties hold as ``AnyComponent``, alone, as an optional or in an array. They are
    /// found by reflection, which is meant for looking at a tree now and then and not for laying it out.
    var subcomponents: [any ServerDrivenComponent] { get }

    /// The actions that the component can start when it is touched, without those of ``subcomponents``.
    ///
    /// Unless a component says otherwise: those that its stored properties hold as ``ComponentAction``, alone, as an optional or in an array.
    var actions: [ComponentAction] { get }
}

extension ServerDrivenComponent {
    public var subcomponents: [any ServerDrivenComponent] {
        Mirror(reflecting: self).children.flatMap { child -> [any ServerDrivenComponent] in
            if let one = child.value as? AnyComponent { return [one.component] }
            if let several = child.value as? [AnyComponent] { return several.map(\.component) }
            return []
        }
    }

    public var actions: [ComponentAction] {
        Mirror(reflecting: self).children.flatMap { child -> [ComponentAction] in
            if let one = child.value as? ComponentAction { return [one] }
            if let several = child.value as? [ComponentAction] { return several }
            return []
        }
    }
}
