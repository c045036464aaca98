// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardViews
import Testing

/// The JSON of each of Hoard's components, with the discriminator first as in the order of the alphabet.
@Suite("Standard components")
struct StandardComponentTests {
    private let coder = ComponentCoder(unknownTypes: .error)

    /// Decodes JSON as a type and checks that it is encoded as it was.
    private func roundTrip<Component: ServerDrivenComponent>(_ json: String, as type: Component.Type = Component.self) throws -> Component {
        let component = try coder.decode(Data(json.utf8))
        #expect(String(decoding: try coder.encode(component), as: UTF8.self) == json)
        return try #require(component as? Component)
    }

    @Test func text() throws {
        let json = #"{"_beagleComponent_":"beagle:text","alignment":"RIGHT","id":"i","style":{"size":1},"styleId":"s","text":"t","textColor":"red"}"#
        let text: TextComponent = try roundTrip(json)
        #expect(text == TextComponent("t", id: "i", styleId: "s", style: .object(["size": .integer(1)]), alignment: .right, textColor: "red"))
        #expect(try roundTrip(#"{"_beagleComponent_":"beagle:text","text":""}"#) == TextComponent(""))
        #expect(TextComponent.Alignment.left.rawValue == "LEFT")
    }

    @Test func image() throws {
        let remote = #"{"_beagleImagePath_":"remote","placeholder":{"_beagleImagePath_":"local","mobileId":"p"},"url":"u"}"#
        #expect(
            try roundTrip(#"{"_beagleComponent_":"beagle:image","id":"i","mode":"CENTER_CROP","path":\#(remote)}"#)
                == ImageComponent(.remote("u", placeholder: "p"), mode: .centerCrop, id: "i")
        )
        #expect(
            try roundTrip(#"{"_beagleComponent_":"beagle:image","path":{"_beagleImagePath_":"local","mobileId":"m"}}"#) == ImageComponent(.local("m"))
        )
        #expect(
            try roundTrip(#"{"_beagleComponent_":"beagle:image","mode":"SOMETHING_NEW","path":{"_beagleImagePath_":"remote","url":"u"}}"#)
                == ImageComponent(.remote("u"), mode: .init(rawValue: "SOMETHING_NEW"))
        )
        #expect([ImageComponent.Mode.fitXY, .fitCenter, .center].map(\.rawValue) == ["FIT_XY", "FIT_CENTER", "CENTER"])
    }

    @Test(arguments: [
        #"{"_beagleImagePath_":"remote"}"#, #"{"_beagleImagePath_":"local"}"#, #"{"url":"u"}"#, #""u""#,
        #"{"_beagleImagePath_":"remote","url":"u","placeholder":{"_beagleImagePath_":"no"}}"#,
    ])
    func anImageWithoutAPlaceItComesFromIsAnError(path: String) {
        let error = #expect(throws: ComponentCodingError.self) {
            try coder.decode(Data(#"{"_beagleComponent_":"beagle:image","path":\#(path)}"#.utf8))
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.path.hasPrefix("$.path") == true)
    }

    @Test func button() throws {
        let action = #"{"_beagleAction_":"beagle:openExternalURL","url":"https://example.com/"}"#
        #expect(
            try roundTrip(#"{"_beagleComponent_":"beagle:button","enabled":false,"id":"i","onPress":[\#(action)],"styleId":"s","text":"b"}"#)
                == ButtonComponent("b", onPress: [.openExternalURL("https://example.com/")], enabled: false, id: "i", styleId: "s")
        )
    }

    @Test func container() throws {
        let json =
            #"{"_beagleComponent_":"beagle:container","children":[{"_beagleComponent_":"beagle:text","text":"a"}],"id":"i","onInit":[{"_beagleAction_":"x"}],"styleId":"s"}"#
        let container: ContainerComponent = try roundTrip(json)
        #expect(container.children.map { $0.component as? TextComponent } == [TextComponent("a")])
        #expect(container.actions == [ComponentAction(name: "x")])
        #expect(container.id == "i")
        #expect(container.styleId == "s")
    }

    @Test func listView() throws {
        let row = #"{"_beagleComponent_":"beagle:text","text":"a"}"#
        let whole: ListViewComponent = try roundTrip(#"{"_beagleComponent_":"beagle:listView","children":[\#(row),\#(row)],"direction":"VERTICAL"}"#)
        #expect(whole.children?.count == 2)
        #expect(whole.direction == .vertical)
        let made: ListViewComponent = try roundTrip(#"{"_beagleComponent_":"beagle:listView","dataSource":"@{rows}","id":"i","template":\#(row)}"#)
        #expect(made.children == nil)
        #expect(made.dataSource?.string == "@{rows}")
        #expect(made.template?.component as? TextComponent == TextComponent("a"))
    }

    @Test func screen() throws {
        let bar =
            #"{"navigationBarItems":[{"action":{"_beagleAction_":"beagle:popView"},"id":"i","text":"x"}],"showBackButton":true,"styleId":"b","title":"t"}"#
        let screen: ScreenComponent = try roundTrip(
            #"{"_beagleComponent_":"beagle:screenComponent","child":{"_beagleComponent_":"beagle:text","text":"a"},"id":"s","navigationBar":\#(bar),"style":{}}"#
        )
        #expect(screen.navigationBar == NavigationBar("t", styleId: "b", showBackButton: true, items: [.init("x", action: .popView, id: "i")]))
        #expect(screen.child.component as? TextComponent == TextComponent("a"))
        #expect(screen.id == "s")
    }

    @Test(arguments: [#"{"_beagleComponent_": "beagle:container"}"#, #"{"_beagleComponent_": "beagle:container", "children": null}"#])
    func containerWithoutChildrenHasNone(json: String) throws {
        let container = try #require(try ComponentCoder().decode(Data(json.utf8)) as? ContainerComponent)
        #expect(container.children.isEmpty)
        #expect(container.subcomponents.isEmpty)
    }

    @Test(arguments: [
        (#"{"_beagleComponent_": "beagle:container", "children": 1}"#, "$.children has the wrong type; an array is needed."),
        (#"{"_beagleComponent_": "beagle:text", "text": []}"#, "$.text has the wrong type; a string is needed."),
        (#"{"_beagleComponent_": "beagle:button", "text": "", "enabled": "x"}"#, "$.enabled has the wrong type; true or false is needed."),
    ])
    func errorsNameTypesAsJSONDoes(json: String, message: String) {
        let error = #expect(throws: ComponentCodingError.self) { try ComponentCoder().decode(Data(json.utf8)) }
        #expect(error?.message == message)
    }
}
