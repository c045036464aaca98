// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardViews

/// A component of the shop's own, which server and client both know.
struct PriceComponent: ServerDrivenComponent, Hashable {
    static let typeName = "shop:price"

    var cents: Int

    init(cents: Int) {
        self.cents = cents
    }

    /// `€ 6.90`
    var text: String {
        let rest = String(cents % 100)
        return "€ \(cents / 100).\(rest.count < 2 ? "0" + rest : rest)"
    }
}

extension ComponentCoder {
    /// Hoard's components and the shop's.
    static var shop: Self {
        var registry = ComponentRegistry.standard
        registry.register(PriceComponent.self)
        return Self(registry: registry)
    }
}
