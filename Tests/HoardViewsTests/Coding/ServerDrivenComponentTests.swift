// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardViews
import Testing

@Suite("ServerDrivenComponent")
struct ServerDrivenComponentTests {
    @Test func componentsAreFoundInPropertiesOptionalsAndArrays() {
        let card = Card(header: AnyComponent(Rating(stars: 1)), children: [AnyComponent(Rating(stars: 2)), AnyComponent(TextComponent("a"))])
        #expect(card.subcomponents.compactMap { ($0 as? Rating)?.stars } == [1, 2])
        #expect(card.subcomponents.count == 3)
        #expect(Card().subcomponents.isEmpty)
        #expect(Rating(stars: 1).subcomponents.isEmpty)
    }

    @Test func actionsAreFoundInPropertiesOptionalsAndArrays() {
        let card = Card(onTap: .popView, onHold: [.openExternalURL("a"), .openExternalURL("b")])
        #expect(card.actions.map(\.name) == ["beagle:popView", "beagle:openExternalURL", "beagle:openExternalURL"])
        #expect(Card().actions.isEmpty)
    }

    @Test func hoardsComponentsSayWhatIsInThem() {
        let screen = Samples.screen
        #expect(screen.subcomponents.count == 1)
        #expect(screen.actions.map(\.route?.url) == ["/cart"])
        let container = screen.child.component
        #expect(container.subcomponents.count == 3)
        #expect(container.actions.count == 1)
        let list = container.subcomponents[2]
        #expect(list.subcomponents.count == 2)
        #expect(list.actions.map(\.name) == ["shop:more"])
        var templated = ListViewComponent([TextComponent("row")])
        templated.template = AnyComponent(Rating(stars: 5))
        #expect(templated.subcomponents.count == 2)
        templated.children = nil
        #expect(templated.subcomponents.count == 1)
    }
}
