// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Holds other components and lays them out.
public struct ContainerComponent: ServerDrivenComponent {
    public static let typeName = "beagle:container"

    /// A name by which the app finds the component.
    public var id: String?
    /// The name of a style of the app.
    public var styleId: String?
    /// A style that the server describes.
    public var style: JSONValue?
    /// The components in it, in order.
    public var children: [AnyComponent]
    /// The actions to carry out when the container has appeared.
    public var onInit: [ComponentAction]?

    /// Creates a container.
    public init(
        _ children: [any ServerDrivenComponent],
        id: String? = nil,
        styleId: String? = nil,
        style: JSONValue? = nil,
        onInit: [ComponentAction]? = nil
    ) {
        self.id = id
        self.styleId = styleId
        self.style = style
        self.children = children.map(AnyComponent.init)
        self.onInit = onInit
    }

    /// A container without children is one with none.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(String.self, forKey: .id)
        styleId = try container.decodeIfPresent(String.self, forKey: .styleId)
        style = try container.decodeIfPresent(JSONValue.self, forKey: .style)
        children = try container.decodeIfPresent([AnyComponent].self, forKey: .children) ?? []
        onInit = try container.decodeIfPresent([ComponentAction].self, forKey: .onInit)
    }

    public var subcomponents: [any ServerDrivenComponent] { children.map(\.component) }
    public var actions: [ComponentAction] { onInit ?? [] }
}
