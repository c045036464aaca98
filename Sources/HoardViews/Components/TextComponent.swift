// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Shows a text.
public struct TextComponent: ServerDrivenComponent, Hashable {
    public static let typeName = "beagle:text"

    /// Where the lines of a text stand.
    public struct Alignment: RawRepresentable, Hashable, Codable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// At the left.
        public static let left = Self(rawValue: "LEFT")
        /// In the middle.
        public static let center = Self(rawValue: "CENTER")
        /// At the right.
        public static let right = Self(rawValue: "RIGHT")
    }

    /// The text itself.
    public var text: String
    /// A name by which the app finds the component.
    public var id: String?
    /// The name of a style of the app.
    public var styleId: String?
    /// A style that the server describes.
    public var style: JSONValue?
    /// Where the lines begin or end. `nil`: as the app has it.
    public var alignment: Alignment?
    /// A colour such as `#00AA33`.
    public var textColor: String?

    /// Creates a text.
    public init(
        _ text: String,
        id: String? = nil,
        styleId: String? = nil,
        style: JSONValue? = nil,
        alignment: Alignment? = nil,
        textColor: String? = nil
    ) {
        self.text = text
        self.id = id
        self.styleId = styleId
        self.style = style
        self.alignment = alignment
        self.textColor = textColor
    }

    public var subcomponents: [any ServerDrivenComponent] { [] }
    public var actions: [ComponentAction] { [] }
}
