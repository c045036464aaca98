// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardViews
import Testing

@Suite("UnknownComponent")
struct UnknownComponentTests {
    private let json = #"""
        {"_beagleComponent_":"shop:Carousel","big":12345678901234567890123,"data":{"_beagleComponent_":"beagle:text","text":"inner"},"flag":true,"items":[{"_beagleComponent_":"shop:Item","onTap":{"_beagleAction_":"beagle:pushView","route":{"url":"/item"}}},7],"none":null,"onShow":[{"_beagleAction_":"beagle:pushView","route":{"screen":{"_beagleComponent_":"beagle:text","text":"not shown"}}}],"price":19.99,"small":-5,"tiny":1e-200}
        """#

    private func placeholder() throws -> UnknownComponent {
        try #require(try ComponentCoder().decode(Data(json.utf8)) as? UnknownComponent)
    }

    @Test func itKeepsTheNameAndTheMembers() throws {
        let placeholder = try placeholder()
        #expect(placeholder.name == "shop:Carousel")
        #expect(placeholder.members["_beagleComponent_"] == nil)
        #expect(placeholder.members["flag"] == .bool(true))
        #expect(placeholder.members["small"] == .integer(-5))
        #expect(placeholder.members["none"] == .null)
        #expect(placeholder.members["data"]?["text"]?.string == "inner")
        #expect(placeholder.members.count == 9)
    }

    @Test func itIsEncodedAsItCame() throws {
        let encoded = try ComponentCoder().encode(try placeholder())
        #expect(String(decoding: encoded, as: UTF8.self) == json)
    }

    @Test func insideAnotherComponentItIsEncodedAsItCame() throws {
        let whole = #"{"_beagleComponent_":"beagle:container","children":[\#(json)]}"#
        let component = try ComponentCoder().decode(Data(whole.utf8))
        #expect(component is ContainerComponent)
        #expect(String(decoding: try ComponentCoder().encode(component), as: UTF8.self) == whole)
    }

    @Test func componentsInItArePlaceholdersToo() throws {
        let parts = try placeholder().subcomponents.compactMap { $0 as? UnknownComponent }
        #expect(parts.map(\.name) == ["beagle:text", "shop:Item"])
        #expect(parts.first?.members == ["text": .string("inner")])
    }

    @Test func actionsInItAreFoundAndThoseOfOthersAreNot() throws {
        let placeholder = try placeholder()
        #expect(placeholder.actions.map(\.name) == ["beagle:pushView"])
        #expect(placeholder.actions.first?.route == nil)
        #expect(placeholder.routes == [ComponentRoute("/item")])
    }

    @Test func aPlaceholderThatIsEncodedAloneByAnotherEncoderHasItsMembers() throws {
        let data = try JSONEncoder().encode(AnyComponent(try placeholder()))
        let again = try #require(try ComponentCoder().decode(data) as? UnknownComponent)
        #expect(again.name == "shop:Carousel")
        #expect(again.members == (try placeholder().members))
    }

    @Test func itCanBeDecodedByItself() throws {
        let again = try JSONDecoder().decode(UnknownComponent.self, from: Data(json.utf8))
        #expect(again.name == "shop:Carousel")
        #expect(throws: (any Error).self) { try JSONDecoder().decode(UnknownComponent.self, from: Data("{}".utf8)) }
    }
}
