// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// A whole screen: a navigation bar, and what is below it.
public struct ScreenComponent: ServerDrivenComponent {
    public static let typeName = "beagle:screenComponent"

    /// A name by which the app finds the screen.
    public var id: String?
    /// The name of a style of the app.
    public var styleId: String?
    /// A style that the server describes.
    public var style: JSONValue?
    public var navigationBar: NavigationBar?
    public var child: AnyComponent

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
    public var title: String
    /// The name of a style of the app.
    public var styleId: String?
    /// `nil`: there is one if there is a screen to go back to.
    public var showBackButton: Bool?
    public var navigationBarItems: [NavigationBarItem]?

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
    public var text: String
    public var image: ImagePath?
    public var action: ComponentAction

    public init(_ text: String, image: ImagePath? = nil, action: ComponentAction, id: String? = nil) {
        self.id = id
        self.text = text
        self.image = image
        self.action = action
    }
}
