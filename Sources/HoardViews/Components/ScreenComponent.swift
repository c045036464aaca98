// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A whole screen: a navigation bar, and the component below it.
public struct ScreenComponent: ServerDrivenComponent {
    public static let typeName = "beagle:screenComponent"

    /// A name by which the app finds the screen.
    public var id: String?
    /// The name of a style of the app.
    public var styleId: String?
    /// A style that the server describes.
    public var style: JSONValue?
    /// The bar at the top. `nil`: there is none.
    public var navigationBar: NavigationBar?
    /// The content of the screen.
    public var child: AnyComponent

    /// Creates a screen.
    public init(
        navigationBar: NavigationBar? = nil,
        child: any ServerDrivenComponent,
        id: String? = nil,
        styleId: String? = nil,
        style: JSONValue? = nil
    ) {
        self.id = id
        self.styleId = styleId
        self.style = style
        self.navigationBar = navigationBar
        self.child = AnyComponent(child)
    }

    public var subcomponents: [any ServerDrivenComponent] { [child.component] }
    public var actions: [ComponentAction] { navigationBar?.navigationBarItems?.map(\.action) ?? [] }
}

/// The bar on top of a screen.
public struct NavigationBar: Hashable, Codable, Sendable {
    /// The title in the bar.
    public var title: String
    /// The name of a style of the app.
    public var styleId: String?
    /// `nil`: there is one if there is a screen to go back to.
    public var showBackButton: Bool?
    /// The buttons in the bar, in order. `nil`: there are none.
    public var navigationBarItems: [NavigationBarItem]?

    /// Creates a bar.
    public init(_ title: String, styleId: String? = nil, showBackButton: Bool? = nil, items: [NavigationBarItem]? = nil) {
        self.title = title
        self.styleId = styleId
        self.showBackButton = showBackButton
        self.navigationBarItems = items
    }
}

/// A button in a navigation bar.
public struct NavigationBarItem: Hashable, Codable, Sendable {
    /// A name by which the app finds the item.
    public var id: String?
    /// The text of the button.
    public var text: String
    /// The image of the button. `nil`: there is none.
    public var image: ImagePath?
    /// The action of the button.
    public var action: ComponentAction

    /// Creates a button of a bar.
    public init(_ text: String, image: ImagePath? = nil, action: ComponentAction, id: String? = nil) {
        self.id = id
        self.text = text
        self.image = image
        self.action = action
    }
}
