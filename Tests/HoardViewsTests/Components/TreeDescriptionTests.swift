// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardViews
import Testing

@Suite("Tree description")
struct TreeDescriptionTests {
    @Test func everyComponentHasALine() {
        #expect(
            Samples.screen.treeDescription == """
                beagle:screenComponent  id: "home"  navigationBar.title: "Shop"  navigationBar.styleId: "bar"  navigationBar.showBackButton: true  \
                navigationBar.navigationBarItems[0].id: "toCart"  navigationBar.navigationBarItems[0].text: "Cart"  \
                navigationBar.navigationBarItems[0].image.mobileId: "cart"  navigationBar.navigationBarItems[0].action: beagle:pushView -> "/cart"
                └─ beagle:container  id: "main"  style: {padding}  onInit: beagle:pushView -> "/offers"
                   ├─ beagle:text  text: "Welcome"  styleId: "title"  alignment: CENTER
                   ├─ beagle:image  path.url: "/logo.png"  path.mobileId: "logo"  mode: FIT_CENTER
                   └─ beagle:listView  direction: VERTICAL  onScrollEnd: shop:more
                      ├─ beagle:button  text: "First"  onPress: beagle:pushView -> "/products/1" (prefetch)
                      └─ beagle:button  text: "Second"  onPress: beagle:pushView -> "/products/2", beagle:openExternalURL -> "https://example.com/"  enabled: false
                """
        )
    }

    @Test func linesShowWhichComponentHoldsWhich() {
        let tree = ContainerComponent([ContainerComponent([TextComponent("a"), TextComponent("b")]), TextComponent("c")])
        #expect(
            tree.treeDescription == """
                beagle:container
                ├─ beagle:container
                │  ├─ beagle:text  text: "a"
                │  └─ beagle:text  text: "b"
                └─ beagle:text  text: "c"
                """
        )
    }

    @Test func placeholdersShowTheirMembersAndWhatIsInThem() throws {
        let json = #"""
            {"_beagleComponent_": "shop:offer", "price": 9.5, "tags": [1, 2], "text": "50%", "none": null, "more": {"b": 1, "a": 2},
             "onTap": {"_beagleAction_": "beagle:pushView", "route": {"url": "/o"}}, "row": {"_beagleComponent_": "beagle:text", "text": "x"}}
            """#
        #expect(
            try ComponentCoder().decode(Data(json.utf8)).treeDescription == """
                shop:offer (placeholder)  more: {a, b}  price: 9.5  tags: [2]  text: "50%"  actions: beagle:pushView -> "/o"
                └─ beagle:text (placeholder)  text: "x"
                """
        )
    }

    @Test func componentsOfTheAppAreShownByTheirProperties() {
        let card = Card(header: AnyComponent(Rating(stars: 5)), onTap: .popView)
        #expect(card.treeDescription == "shop:card  onTap: beagle:popView\n└─ shop:rating  stars: 5")
        #expect(Weighed(weight: 1.5).treeDescription == "test:weighed  weight: 1.5")
    }

    @Test func textsAreCutAndCannotDriveATerminal() {
        let hostile = "\u{1b}[2J\n\r\u{202e}" + String(repeating: "x", count: 10_000)
        let tree = ContainerComponent([TextComponent(hostile, id: hostile), ButtonComponent("b", onPress: [.pushView(.init(hostile))])], id: hostile)
        let description = tree.treeDescription
        #expect(description.split(separator: "\n").count == 3)
        #expect(description.count < 1_000)
        let allowed = description.unicodeScalars.filter { $0 != "\n" }.allSatisfy {
            $0.properties.generalCategory != .control && $0.properties.generalCategory != .format
        }
        #expect(allowed)
    }

    @Test func everyKindOfPropertyIsShown() {
        let component = Everything(
            flag: true,
            count: 3,
            share: 0.5,
            name: nil,
            kind: .second,
            when: Everything.Span(from: 1, to: nil),
            spans: [Everything.Span(from: 2, to: 3)],
            labels: ["a", "b"],
            many: Array(0..<20),
            none: [],
            child: AnyComponent(TextComponent("t"))
        )
        #expect(
            component.treeDescription == """
                test:everything  flag: true  count: 3  share: 0.5  kind: second  when.from: 1  spans[0].from: 2  spans[0].to: 3  \
                labels[0]: "a"  labels[1]: "b"  many[0]: 0  many[1]: 1  many[2]: 2  many[3]: 3  many[4]: 4  many[5]: 5  many[6]: 6  many[7]: 7  \
                many: 20 in all
                └─ beagle:text  text: "t"
                """
        )
    }

    @Test func linesHaveAnEndWhateverAServerSends() throws {
        let members = (0..<10_000).map { #""m\#($0)": 1"# }.joined(separator: ",")
        let wide = try ComponentCoder().decode(Data(#"{"_beagleComponent_": "x", \#(members)}"#.utf8)).treeDescription
        #expect(wide.hasSuffix("  … 9969 more"))
        #expect(wide.count < 1_000)
        let actions = Array(repeating: ComponentAction.popView, count: 10_000)
        let description = ButtonComponent("b", onPress: actions).treeDescription
        #expect(description.hasSuffix("beagle:popView, … 9992 more"))
        let style = JSONValue.object(Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("n\($0)", .null) }))
        #expect(TextComponent("t", style: style).treeDescription.hasSuffix(", …}"))
        #expect(TextComponent("t", style: .array([.null, .null])).treeDescription == "beagle:text  text: \"t\"  style: [2]")
    }
}

private struct Everything: ServerDrivenComponent {
    static let typeName = "test:everything"
    enum Kind: Codable { case first, second }
    struct Span: Codable {
        var from: Int
        var to: Int?
    }

    var flag: Bool
    var count: Int
    var share: Double
    var name: String?
    var kind: Kind
    var when: Span
    var spans: [Span]
    var labels: [String]
    var many: [Int]
    var none: [Int]
    var child: AnyComponent?
}
