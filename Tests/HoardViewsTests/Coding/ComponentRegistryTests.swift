// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardViews
import Testing

@Suite("ComponentRegistry")
struct ComponentRegistryTests {
    @Test func theStandardOneHasHoardsComponents() {
        #expect(
            ComponentRegistry.standard.names == [
                "beagle:button", "beagle:container", "beagle:image", "beagle:listview", "beagle:screencomponent", "beagle:text",
            ]
        )
    }

    @Test func anEmptyOneKnowsNothing() {
        #expect(ComponentRegistry().names.isEmpty)
        #expect(ComponentRegistry().type(named: "beagle:text") == nil)
    }

    @Test func aTypeIsFoundUnderItsNameInAnyCase() {
        let registry = ComponentRegistry([Rating.self])
        for name in ["shop:rating", "SHOP:RATING", "Shop:Rating"] { #expect(registry.type(named: name) == Rating.self) }
        #expect(registry.type(named: "shop:ratings") == nil)
    }

    @Test func aTypeCanHaveOtherNamesAsWell() {
        var registry = ComponentRegistry([Rating.self])
        registry.register(Rating.self, as: "shop:Stars")
        #expect(registry.type(named: "shop:stars") == Rating.self)
        #expect(registry.type(named: "shop:rating") == Rating.self)
        #expect(registry.names == ["shop:rating", "shop:stars"])
    }

    @Test func whatIsRegisteredLaterTakesThePlaceOfTheOther() {
        var registry = ComponentRegistry.standard
        registry.register(Rating.self, as: TextComponent.typeName)
        #expect(registry.type(named: "beagle:text") == Rating.self)
        #expect(ComponentRegistry.standard.type(named: "beagle:text") == TextComponent.self)
    }
}
