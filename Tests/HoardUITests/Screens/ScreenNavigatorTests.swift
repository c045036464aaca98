// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import HoardUI
import HoardViews
import Testing

@MainActor @Suite struct ScreenNavigatorTests {
    private let own = Shared<[ComponentAction]>([])
    private let opened = Shared<[String]>([])
    private let navigator: ScreenNavigator

    init() {
        let own = own
        navigator = ScreenNavigator { action in own.update { $0.append(action) } }
    }

    private func perform(_ actions: [ComponentAction]) {
        let opened = opened
        navigator.perform(actions) { url in opened.update { $0.append(url.absoluteString) } }
    }

    @Test func screensArePushedAndPopped() {
        let (cart, help) = (ComponentRoute("/cart"), ComponentRoute("/help"))
        navigator.perform([.pushView(cart), .pushView(help), .pushView(cart)])
        #expect(navigator.path == [cart, help, cart])
        navigator.perform([.popView])
        #expect(navigator.path == [cart, help])
        #expect(own.value == [])
    }

    @Test func goingBackFromTheFirstScreenIsTheAppsOwn() {
        navigator.perform([.popView])
        #expect(own.value == [.popView])
    }

    @Test func onlyPagesWithKnownSchemesAreOpened() {
        let refused = ["javascript:alert(1)", "file:///etc/passwd", "shop://cart", "", "no scheme"].map { ComponentAction.openExternalURL($0) }
        perform([.openExternalURL("HTTPS://example.com/help")] + refused)
        #expect(opened.value.map { $0.lowercased() } == ["https://example.com/help"])
        #expect(own.value == refused)
        navigator.externalSchemes.insert("shop")
        perform([.openExternalURL("shop://cart")])
        #expect(opened.value.last == "shop://cart")
    }

    @Test func withoutAWayToOpenPagesTheyAreTheAppsOwn() {
        navigator.perform([.openExternalURL("https://example.com/")])
        #expect(own.value == [.openExternalURL("https://example.com/")])
    }

    @Test func namesOfActionsAreComparedWithoutRegardToCase() {
        navigator.perform([ComponentAction(name: "BEAGLE:pushview", members: ComponentAction.pushView(.init("/cart")).members)])
        #expect(navigator.path.map(\.url) == ["/cart"])
    }

    @Test func actionsThatNobodyKnowsAreTheAppsOwn() {
        let actions = [ComponentAction(name: "shop:buy", members: ["id": .integer(7)]), ComponentAction(name: "beagle:pushView")]
        navigator.perform(actions)
        #expect(own.value == actions && navigator.path == [])
    }
}
