// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import HoardViews
import Synchronization
import Testing

@Suite("ComponentCoder", .timeLimit(.minutes(5)))
struct ComponentCoderTests {
    private let coder = ComponentCoder()

    private func decode(_ json: String, with coder: ComponentCoder = ComponentCoder()) throws -> any ServerDrivenComponent {
        try coder.decode(Data(json.utf8))
    }

    @Test func aScreenIsDecodedWithAllThatItHolds() throws {
        let screen = try #require(
            try decode(
                """
                {"_beagleComponent_": "beagle:screenComponent", "id": "home",
                 "navigationBar": {"title": "Shop", "showBackButton": false, "navigationBarItems": [
                    {"text": "Cart", "image": {"_beagleImagePath_": "local", "mobileId": "cart"},
                     "action": {"_beagleAction_": "beagle:pushView", "route": {"url": "/cart"}}}]},
                 "child": {"_beagleComponent_": "beagle:container", "styleId": "page", "style": {"flex": {"grow": 1}}, "children": [
                    {"_beagleComponent_": "beagle:text", "text": "Welcome", "alignment": "CENTER", "textColor": "#00AA33"},
                    {"_beagleComponent_": "beagle:image", "path": {"_beagleImagePath_": "remote", "url": "/logo.png"}, "mode": "FIT_XY"},
                    {"_beagleComponent_": "beagle:listView", "direction": "HORIZONTAL", "children": [
                        {"_beagleComponent_": "beagle:button", "text": "Buy", "enabled": true,
                         "onPress": [{"_beagleAction_": "beagle:pushView", "route": {"url": "/buy", "shouldPrefetch": true}}]}]}]}}
                """
            ) as? ScreenComponent
        )
        #expect(screen.id == "home")
        #expect(screen.navigationBar?.title == "Shop")
        #expect(screen.navigationBar?.showBackButton == false)
        #expect(screen.navigationBar?.navigationBarItems?.first?.image == .local("cart"))
        let container = try #require(screen.child.component as? ContainerComponent)
        #expect(container.styleId == "page")
        #expect(container.style?["flex"]?["grow"] == .integer(1))
        #expect(container.children.count == 3)
        #expect(container.children[0].component as? TextComponent == TextComponent("Welcome", alignment: .center, textColor: "#00AA33"))
        #expect(container.children[1].component as? ImageComponent == ImageComponent(.remote("/logo.png"), mode: .fitXY))
        let list = try #require(container.children[2].component as? ListViewComponent)
        #expect(list.direction == .horizontal)
        let button = ButtonComponent("Buy", onPress: [.pushView(.init("/buy", shouldPrefetch: true))], enabled: true)
        #expect(list.children?.first?.component as? ButtonComponent == button)
    }

    @Test func whatIsEncodedIsDecodedAgainAndHasTheSameBytes() throws {
        let screen = Samples.screen
        let data = try coder.encode(screen)
        let again = try coder.decode(data)
        #expect(again is ScreenComponent)
        #expect(try coder.encode(again) == data)
        #expect(again.treeDescription == screen.treeDescription)
    }

    @Test func membersAreEncodedInTheOrderOfTheAlphabet() throws {
        let text = String(decoding: try coder.encode(TextComponent("a/b", id: "x", styleId: "s")), as: UTF8.self)
        #expect(text == #"{"_beagleComponent_":"beagle:text","id":"x","styleId":"s","text":"a/b"}"#)
    }

    @Test(arguments: ["beagle:text", "BEAGLE:TEXT", "Beagle:Text"])
    func namesOfTypesAreComparedWithoutRegardToCase(name: String) throws {
        #expect(try decode(#"{"_beagleComponent_": "\#(name)", "text": "a"}"#) as? TextComponent == TextComponent("a"))
    }

    @Test func theDiscriminatorsCanBeOthers() throws {
        let coder = ComponentCoder(discriminator: "@type", actionDiscriminator: "@action")
        let json = #"{"@type": "beagle:button", "text": "a", "onPress": [{"@action": "beagle:popView"}]}"#
        let button = try decode(json, with: coder)
        #expect(button as? ButtonComponent == ButtonComponent("a", onPress: [.popView]))
        #expect(try coder.encode(button) == Data(#"{"@type":"beagle:button","onPress":[{"@action":"beagle:popView"}],"text":"a"}"#.utf8))
        #expect(throws: ComponentCodingError.self) { try self.decode(json) }
    }

    @Test func componentsOfTheAppAreDecodedWhereverTheyStand() throws {
        var registry = ComponentRegistry.standard
        registry.register(Card.self)
        registry.register(Rating.self)
        let coder = ComponentCoder(registry: registry, unknownTypes: .error)
        let card = Card(header: AnyComponent(Rating(stars: 3)), children: [AnyComponent(ContainerComponent([Rating(stars: 4)]))])
        let decoded = try #require(try coder.decode(try coder.encode(card)) as? Card)
        #expect((decoded.header?.component as? Rating)?.stars == 3)
        #expect(decoded.subcomponents.count == 2)
        #expect((decoded.children[0].component.subcomponents.first as? Rating)?.stars == 4)
    }

    @Test func datesAreISO8601() throws {
        let coder = ComponentCoder(registry: ComponentRegistry([Dated.self]))
        let dated = Dated(date: Date(timeIntervalSince1970: 1_700_000_000))
        let data = try coder.encode(dated)
        #expect(String(decoding: data, as: UTF8.self).contains(#""date":"2023-11-14T22:13:20Z""#))
        #expect((try coder.decode(data) as? Dated)?.date == dated.date)
        for text in ["2023-11-14T22:13:20.000Z", "2023-11-14T23:13:20+01:00"] {
            let json = Data(#"{"_beagleComponent_":"test:dated","date":"\#(text)"}"#.utf8)
            #expect((try coder.decode(json) as? Dated)?.date == dated.date)
        }
    }

    @Test func eachComponentIsDecodedOnce() throws {
        var registry = ComponentRegistry.standard
        registry.register(Counted.self)
        let coder = ComponentCoder(registry: registry, maximumDepth: 256)
        let ids = UUID().uuidString
        // Every second level is of a type that is not registered below a known one, so that both ways of decoding are in it.
        var json = #"{"_beagleComponent_": "test:counted", "group": "\#(ids)", "children": []}"#
        for _ in 1..<40 { json = #"{"_beagleComponent_": "test:counted", "group": "\#(ids)", "children": [\#(json), \#(Self.unknown)]}"# }
        let component = try decode(json, with: coder)
        #expect(component is Counted)
        #expect(Counted.decoded.withLock { $0[ids] } == 40)
    }

    private static let unknown = #"{"_beagleComponent_": "test:no", "children": [{"_beagleComponent_": "test:no", "n": [1, 2.5, null, true]}]}"#

    @Test func otherDecodersUseWhatTheCoderHasByDefault() throws {
        let json = Data(#"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "test:none"}]}"#.utf8)
        let component = try JSONDecoder().decode(AnyComponent.self, from: json).component
        #expect((component as? ContainerComponent)?.children.first?.component is UnknownComponent)
        let text = try JSONEncoder().encode(AnyComponent(TextComponent("a")))
        #expect(try coder.decode(text) as? TextComponent == TextComponent("a"))
    }

    @Test func membersThatNoComponentDeclaresArePassedBy() throws {
        #expect(try decode(#"{"_beagleComponent_": "beagle:text", "text": "a", "new": {"x": [1]}}"#) as? TextComponent == TextComponent("a"))
    }

    @Test func aComponentThatCannotBeWrittenIsAnErrorWithItsPlace() {
        let error = #expect(throws: ComponentCodingError.self) {
            try coder.encode(ContainerComponent([TextComponent("a"), Weighed(weight: .nan)]))
        }
        #expect(error?.code == .encodingFailed)
        #expect(error?.path == "$.children[1].weight")
    }

    @Test func aTreeThatIsTooDeepIsNotEncoded() throws {
        let coder = ComponentCoder(maximumDepth: 9)
        var tree: any ServerDrivenComponent = TextComponent("a")
        for _ in 0..<4 { tree = ContainerComponent([tree]) }
        let data = try coder.encode(tree)
        #expect(try coder.decode(data).treeDescription == tree.treeDescription)
        let error = #expect(throws: ComponentCodingError.self) { try coder.encode(ContainerComponent([tree])) }
        #expect(error?.code == .tooDeep)
        #expect(throws: ComponentCodingError.self) { try ComponentCoder(maximumDepth: 8).decode(data) }
    }

    @Test func aComponentThatThrowsIsAnErrorOfEncoding() {
        let error = #expect(throws: ComponentCodingError.self) { try coder.encode(Throwing()) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.underlyingError is Throwing.Failure)
    }

    @Test func jsonThatIsTooDeepIsNotEncoded() throws {
        let coder = ComponentCoder(maximumDepth: 5)
        var style = JSONValue.integer(1)
        for _ in 0..<4 { style = .array([style]) }
        let data = try coder.encode(TextComponent("a", style: style))
        #expect((try coder.decode(data) as? TextComponent)?.style == style)
        let error = #expect(throws: ComponentCodingError.self) { try coder.encode(TextComponent("a", style: .object(["x": style]))) }
        #expect(error?.code == .tooDeep)
        #expect(error?.path == "$.style.x[0][0][0]")
    }

    @Test func aTypeWithAnotherNameIsEncodedUnderItsOwn() throws {
        var registry = ComponentRegistry()
        registry.register(Rating.self, as: "shop:stars")
        let coder = ComponentCoder(registry: registry)
        let rating = try decode(#"{"_beagleComponent_": "shop:stars", "stars": 2}"#, with: coder)
        #expect(try coder.encode(rating) == Data(#"{"_beagleComponent_":"shop:rating","stars":2}"#.utf8))
    }

    @Test func manyTasksUseOneCoder() async throws {
        let coder = coder
        let data = try coder.encode(Samples.screen)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<64 { group.addTask { try coder.encode(try coder.decode(data)) } }
            for try await again in group { #expect(again == data) }
        }
    }

    @Test func aDepthThatNoStackHasIsRefusedAtOnce() async {
        await #expect(processExitsWith: .failure) { _ = ComponentCoder(maximumDepth: 257) }
        await #expect(processExitsWith: .failure) { _ = ComponentCoder(maximumDepth: 0) }
        await #expect(processExitsWith: .failure) { _ = ComponentCoder(discriminator: "") }
        await #expect(processExitsWith: .success) { _ = ComponentCoder(maximumDepth: 256) }
    }
}

private struct Throwing: ServerDrivenComponent {
    static let typeName = "test:throwing"
    struct Failure: Error {}

    init() {}
    init(from decoder: any Decoder) throws {}
    func encode(to encoder: any Encoder) throws { throw Failure() }
}
