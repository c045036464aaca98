// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Shows a text that can be pressed.
public struct ButtonComponent: ServerDrivenComponent, Hashable {
    public static let typeName = "beagle:button"

    /// The text on the button.
    public var text: String
    /// The actions to carry out when the button is pressed, in this order.
    public var onPress: [ComponentAction]?
    /// `nil`: it can be pressed.
    public var enabled: Bool?
    /// A name by which the app finds the component.
    public var id: String?
    /// The name of a style of the app.
    public var styleId: String?
    /// A style that the server describes.
    public var style: JSONValue?

    /// Creates a button.
    public init(
        _ text: String,
        onPress: [ComponentAction]? = nil,
        enabled: Bool? = nil,
        id: String? = nil,
        styleId: String? = nil,
        style: JSONValue? = nil
    ) {
        self.text = text
        self.onPress = onPress
        self.enabled = enabled
        self.id = id
        self.styleId = styleId
        self.style = style
    }

    public var subcomponents: [any ServerDrivenComponent] { [] }
    public var actions: [ComponentAction] { onPress ?? [] }
}
