// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Where an action leads: another screen of the same server.
public struct ComponentRoute: Hashable, Sendable {
    /// The URL that the URL builder gets: relative or absolute.
    public var url: String
    /// Whether the server asks for the screen to be fetched before it is needed.
    public var shouldPrefetch: Bool

    /// Creates a route to a URL.
    public init(_ url: String, shouldPrefetch: Bool = false) {
        self.url = url
        self.shouldPrefetch = shouldPrefetch
    }
}

extension ServerDrivenComponent {
    /// The screens that this component and everything in it lead to, each once, in the order in which they are met.
    ///
    /// One is to be prefetched if any of the actions that lead to it says so. O(components).
    public var routes: [ComponentRoute] {
        var routes: [ComponentRoute] = []
        var indices: [String: Int] = [:]
        func visit(_ component: any ServerDrivenComponent) {
            for route in component.actions.compactMap(\.route) {
                if let index = indices[route.url] {
                    if route.shouldPrefetch { routes[index].shouldPrefetch = true }
                } else {
                    indices[route.url] = routes.count
                    routes.append(route)
                }
            }
            component.subcomponents.forEach(visit)
        }
        visit(self)
        return routes
    }
}
