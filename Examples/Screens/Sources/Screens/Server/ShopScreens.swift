// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardViews

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The screens of a ``Shop``, as it is at the moment.
struct ShopScreens: Sendable {
    let shop: Shop
    private let coder = ComponentCoder.shop

    init(shop: Shop) {
        self.shop = shop
    }

    func home() throws -> ScreenState {
        let screen = ScreenComponent(
            navigationBar: NavigationBar("The tea shop", items: [NavigationBarItem("Profile", action: .open("/screens/profile"))]),
            child: ContainerComponent([
                TextComponent("Tea, and what one needs for it."),
                ButtonComponent("All we have", onPress: [.open("/screens/categories", prefetch: true)]),
                ButtonComponent("Tea of the day", onPress: [.open("/screens/products/1", prefetch: true)]),
                ButtonComponent("Pot of the day", onPress: [.open("/screens/products/3", prefetch: true)]),
                ButtonComponent("Terms", onPress: [.open("/screens/terms")]),
            ])
        )
        return try state(screen, cacheControl: "max-age=60")
    }

    /// The list of categories. Its response does not say how long it may be kept: the client decides.
    func categories() throws -> ScreenState {
        let rows = shop.categories.map { name in
            ButtonComponent(name, onPress: [.open("/screens/categories/\(name)", prefetch: true)])
        }
        return try state(ScreenComponent(navigationBar: NavigationBar("All we have"), child: ListViewComponent(rows)), cacheControl: nil)
    }

    func category(_ name: String) throws -> ScreenState? {
        let products = shop.products.filter { $0.category == name }
        guard !products.isEmpty else { return nil }
        let rows = products.map { product in
            ContainerComponent([
                ButtonComponent(product.name, onPress: [.open("/screens/products/\(product.id)", prefetch: true)]),
                PriceComponent(cents: product.cents),
            ])
        }
        return try state(ScreenComponent(navigationBar: NavigationBar(name), child: ListViewComponent(rows)), cacheControl: "max-age=60")
    }

    func product(_ id: Int) throws -> ScreenState? {
        guard let product = shop.product(id) else { return nil }
        let screen = ScreenComponent(
            navigationBar: NavigationBar(product.name),
            child: ContainerComponent([
                TextComponent(product.text),
                PriceComponent(cents: product.cents),
                ButtonComponent("More of this", onPress: [.open("/screens/categories/\(product.category)")]),
            ])
        )
        return try state(screen, cacheControl: "max-age=120")
    }

    /// The profile of the customer that sends the request.
    func profile(of customer: Shop.Customer) throws -> ScreenState {
        let screen = ScreenComponent(
            navigationBar: NavigationBar("Profile of \(customer.name)"),
            child: ContainerComponent([TextComponent(customer.address), TextComponent("\(customer.points) points")])
        )
        return try state(screen, cacheControl: "private, max-age=60", vary: "authorization")
    }

    /// The terms. They have no hash, like screens from a server that knows nothing of hashes: HTTP alone says
    /// whether a cache may keep them.
    func terms() throws -> ScreenState {
        let screen = ScreenComponent(navigationBar: NavigationBar("Terms"), child: TextComponent("You pay, we send."))
        return try state(screen, cacheControl: "max-age=3600", hasHash: false)
    }

    private func state(_ screen: ScreenComponent, cacheControl: String?, hasHash: Bool = true, vary: String? = nil) throws -> ScreenState {
        ScreenState(try coder.encode(screen), cacheControl: cacheControl, hasHash: hasHash, vary: vary)
    }
}

extension ComponentAction {
    fileprivate static func open(_ path: String, prefetch: Bool = false) -> Self {
        .pushView(ComponentRoute(path, shouldPrefetch: prefetch))
    }
}
