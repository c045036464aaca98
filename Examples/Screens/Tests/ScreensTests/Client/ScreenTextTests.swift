// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardViews
import Testing

@testable import Screens

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite
struct ScreenTextTests {
    private let screens = ShopScreens(shop: Shop())

    private func text(_ state: ScreenState) throws -> ScreenText {
        ScreenText(try ComponentCoder.shop.decode(state.data))
    }

    @Test
    func buttonsAreNumberedInTheOrderOfTheScreen() throws {
        let text = try text(screens.home())
        #expect(
            text.lines == [
                "The tea shop", "[1] Profile", "Tea, and what one needs for it.", "[2] All we have", "[3] Tea of the day", "[4] Pot of the day",
                "[5] Terms",
            ]
        )
        #expect(text.links == ["/screens/profile", "/screens/categories", "/screens/products/1", "/screens/products/3", "/screens/terms"])
    }

    @Test
    func ownComponentsOfTheShopAreShown() throws {
        let text = try text(try #require(try screens.category("pots")))
        #expect(text.lines == ["pots", "[1] Small pot", "€ 24.00", "[2] Large pot", "€ 59.00"])
    }

    @Test(arguments: [(0, "€ 0.00"), (5, "€ 0.05"), (690, "€ 6.90"), (123_456, "€ 1234.56")])
    func pricesHaveTwoDigitsOfCents(cents: Int, text: String) {
        #expect(PriceComponent(cents: cents).text == text)
    }

    @Test
    func whatTheAppDoesNotKnowIsSaid() throws {
        let json = #"{"_beagleComponent_":"shop:hologram","of":"a tea pot"}"#
        let text = ScreenText(try ComponentCoder.shop.decode(Data(json.utf8)))
        #expect(text.lines == ["(shop:hologram: this version of the app cannot show it)"])
    }

    @Test
    func screenCannotDriveTheTerminal() {
        let text = ScreenText(TextComponent("a\u{1B}[2Jb\nc\u{9B}d\r"))
        #expect(text.lines == ["a [2Jb c d "])
    }

    @Test
    func buttonThatLeadsNowhereHasNoNumber() {
        let text = ScreenText(
            ContainerComponent([ButtonComponent("nothing"), ButtonComponent("away", onPress: [.openExternalURL("https://example.com")])])
        )
        #expect(text.lines == ["nothing", "away"])
        #expect(text.links.isEmpty)
    }
}
