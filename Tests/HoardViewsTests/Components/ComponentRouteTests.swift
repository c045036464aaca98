// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardViews
import Testing

@Suite("Routes of a tree")
struct ComponentRouteTests {
    @Test func allScreensThatATreeLeadsToAreFoundInTheirOrder() {
        #expect(
            Samples.screen.routes == [
                ComponentRoute("/cart"), ComponentRoute("/offers"), ComponentRoute("/products/1", shouldPrefetch: true),
                ComponentRoute("/products/2"),
            ]
        )
    }

    @Test func aScreenIsNamedOnceAndPrefetchedIfOneActionSaysSo() {
        let tree = ContainerComponent([
            ButtonComponent("1", onPress: [.pushView(.init("/a")), .pushView(.init("/b", shouldPrefetch: true))]),
            ButtonComponent("2", onPress: [.pushView(.init("/a", shouldPrefetch: true)), .pushView(.init("/b"))]),
        ])
        #expect(tree.routes == [ComponentRoute("/a", shouldPrefetch: true), ComponentRoute("/b", shouldPrefetch: true)])
    }

    @Test func routesOfTheAppsComponentsAreFound() {
        let card = Card(header: AnyComponent(Card(onTap: .pushView(.init("/inner")))), onHold: [.pushView(.init("/outer"))])
        #expect(card.routes == [ComponentRoute("/outer"), ComponentRoute("/inner")])
    }

    @Test func aTreeWithoutActionsLeadsNowhere() {
        #expect(ContainerComponent([TextComponent("a")]).routes.isEmpty)
    }
}
