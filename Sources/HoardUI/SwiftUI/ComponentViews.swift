// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
    public import HoardViews
    public import SwiftUI

    /// How an app shows components: those of its own, and in its own style.
    ///
    /// ```swift
    /// var views = ComponentViews()
    /// views.register(Rating.self) { rating in Stars(count: rating.stars) }
    /// views.style = { component, view in component is TextComponent ? AnyView(view.font(.body)) : view }
    /// …
    /// HoardScreen("/home").componentViews(views)
    /// ```
    public struct ComponentViews: Sendable {
        private struct Shown {
            var scrolls: Bool
            var view: @MainActor (any ServerDrivenComponent) -> AnyView
        }

        private var views: [ObjectIdentifier: Shown] = [:]

        /// Changes the look of a component's view: its fonts, its colours, the meaning of its `styleId`. Default:
        /// nothing.
        public var style: @MainActor (_ component: any ServerDrivenComponent, _ view: AnyView) -> AnyView = { $1 }

        /// How Hoard's own components are shown, and no others.
        public nonisolated init() {}

        /// Shows the components of a type this way. Another view for the type is replaced, one of Hoard's own included.
        ///
        /// - Parameters:
        ///   - scrolls: Whether the view scrolls up and down itself, so that a screen that consists of it must not. Default: `false`.
        ///   - view: The view of a component. A ``ComponentView`` shows the components in it, and `\.screenNavigator`
        ///     of the environment carries out its actions.
        public mutating func register<Component: ServerDrivenComponent, Content: View>(
            _ type: Component.Type,
            scrolls: Bool = false,
            @ViewBuilder view: @escaping @MainActor (Component) -> Content
        ) {
            views[ObjectIdentifier(type)] = Shown(scrolls: scrolls) { component in
                (component as? Component).map { AnyView(view($0)) } ?? AnyView(EmptyView())
            }
        }

        @MainActor func view(of component: any ServerDrivenComponent) -> AnyView? {
            views[ObjectIdentifier(Swift.type(of: component))].map { $0.view(component) }
        }

        /// Whether the view of a component scrolls up and down.
        func scrolls(_ component: any ServerDrivenComponent) -> Bool {
            if let shown = views[ObjectIdentifier(Swift.type(of: component))] { return shown.scrolls }
            return (component as? ListViewComponent).map { $0.direction != .horizontal } ?? false
        }

        /// The component that a screen consists of: the screen itself if the app has a view for that, or the component
        /// below its navigation bar.
        func root(of component: any ServerDrivenComponent) -> any ServerDrivenComponent {
            guard let screen = component as? ScreenComponent, views[ObjectIdentifier(ScreenComponent.self)] == nil else { return component }
            return screen.child.component
        }
    }
#endif
