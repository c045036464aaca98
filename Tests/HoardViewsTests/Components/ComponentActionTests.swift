// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardViews
import Testing

@Suite("ComponentAction")
struct ComponentActionTests {
    private func decoded(_ json: String) throws -> ComponentAction {
        try JSONDecoder().decode(ComponentAction.self, from: Data(json.utf8))
    }

    private func encoded(_ action: ComponentAction) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(action), as: UTF8.self)
    }

    @Test func openingAScreenHasARoute() throws {
        let action = ComponentAction.pushView(.init("/cart", shouldPrefetch: true))
        #expect(action.route == ComponentRoute("/cart", shouldPrefetch: true))
        #expect(action.externalURL == nil)
        #expect(try encoded(action) == #"{"_beagleAction_":"beagle:pushView","route":{"shouldPrefetch":true,"url":"/cart"}}"#)
        #expect(try decoded(try encoded(action)) == action)
    }

    @Test func shouldPrefetchIsFalseUnlessSaid() throws {
        #expect(try decoded(#"{"_beagleAction_": "beagle:pushView", "route": {"url": "/a"}}"#).route == ComponentRoute("/a"))
        let odd = #"{"_beagleAction_": "beagle:pushView", "route": {"url": "/a", "shouldPrefetch": "@{x}"}}"#
        #expect(try decoded(odd).route?.shouldPrefetch == false)
    }

    @Test func aPageOutsideTheAppIsNoRoute() throws {
        let action = ComponentAction.openExternalURL("https://example.com/")
        #expect(action.route == nil)
        #expect(action.externalURL == "https://example.com/")
        #expect(try decoded(#"{"_beagleAction_": "BEAGLE:OPENEXTERNALURL", "url": "x"}"#).externalURL == "x")
    }

    @Test func aRouteThatIsANameOrAScreenHasNoURL() throws {
        #expect(try decoded(#"{"_beagleAction_": "beagle:popToView", "route": "/home"}"#).route == nil)
        #expect(try decoded(#"{"_beagleAction_": "beagle:pushView", "route": {"screen": {}}}"#).route == nil)
        #expect(ComponentAction.popView.route == nil)
    }

    @Test func actionsOfTheAppKeepTheirMembers() throws {
        let json = #"{"_beagleAction_":"shop:buy","amount":2,"options":{"gift":true}}"#
        let action = try decoded(json)
        #expect(action.name == "shop:buy")
        #expect(action.members["amount"] == .integer(2))
        #expect(try encoded(action) == json)
    }

    @Test func whatHasNoNameIsAnError() {
        for json in ["{}", #"{"_beagleAction_": 1}"#] {
            let error = #expect(throws: ComponentCodingError.self) { try decoded(json) }
            #expect(error?.code == .typeMissing)
        }
    }
}
