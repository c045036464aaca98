// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Shows components one after the other, and scrolls.
public struct ListViewComponent: ServerDrivenComponent {
    public static let typeName = "beagle:listView"

    /// The direction of a list.
    public struct Direction: RawRepresentable, Hashable, Codable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// From top to bottom.
        public static let vertical = Self(rawValue: "VERTICAL")
        /// From one side to the other.
        public static let horizontal = Self(rawValue: "HORIZONTAL")
    }

    /// A name by which the app finds the component.
    public var id: String?
    /// `nil`: vertical.
    public var direction: Direction?
    /// A style that the server describes.
    public var style: JSONValue?
    /// The rows. `nil` if the app makes them from ``template``.
    public var children: [AnyComponent]?
    /// The row for one element of the data source.
    public var template: AnyComponent?
    /// The data that the rows are made of, or the expression that says where it is.
    public var dataSource: JSONValue?
    /// The actions to carry out when the end of the list comes into sight.
    public var onScrollEnd: [ComponentAction]?

    /// Creates a list.
    public init(
        _ children: [any ServerDrivenComponent],
        id: String? = nil,
        direction: Direction? = nil,
        style: JSONValue? = nil,
        onScrollEnd: [ComponentAction]? = nil
    ) {
        self.id = id
        self.direction = direction
        self.style = style
        self.children = children.map(AnyComponent.init)
        self.onScrollEnd = onScrollEnd
    }

    public var subcomponents: [any ServerDrivenComponent] { ((children ?? []) + [template].compactMap(\.self)).map(\.component) }
    public var actions: [ComponentAction] { onScrollEnd ?? [] }
}
