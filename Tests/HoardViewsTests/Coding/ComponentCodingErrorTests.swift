// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardTesting
import HoardViews
import Testing

@Suite("ComponentCodingError", .timeLimit(.minutes(5)))
struct ComponentCodingErrorTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let json: String
        let code: ComponentCodingError.Code
        let path: String

        init(_ json: String, _ code: ComponentCodingError.Code, _ path: String = "$") {
            self.json = json
            self.code = code
            self.path = path
        }

        var testDescription: String { json }
    }

    private func failure(of data: Data, with coder: ComponentCoder = ComponentCoder()) -> ComponentCodingError? {
        do {
            _ = try coder.decode(data)
            return nil
        } catch {
            return error
        }
    }

    private func failure(of json: String, with coder: ComponentCoder = ComponentCoder()) -> ComponentCodingError? {
        failure(of: Data(json.utf8), with: coder)
    }

    @Test(arguments: [
        Case("", .notJSON),
        Case(" ", .notJSON),
        Case("<html></html>", .notJSON),
        Case("{", .notJSON),
        Case("}", .notJSON),
        Case("]]]]", .notJSON),
        Case(#"{"_beagleComponent_": "beagle:text", "text": "a""#, .notJSON),
        Case(#"{"_beagleComponent_": "beagle:text", "text": "a"}x"#, .notJSON),
        Case(#"{"_beagleComponent_": "beagle:text", "text": "a"#, .notJSON),
        Case(#"{"_beagleComponent_" "beagle:text"}"#, .notJSON),
        Case(#"{'_beagleComponent_': 'beagle:text'}"#, .notJSON),
        Case("{}", .typeMissing),
        Case(#"{"_beagleComponent_": null, "text": "a"}"#, .typeMissing),
        Case(#"{"_beaglecomponent_": "beagle:text", "text": "a"}"#, .typeMissing),
        Case(
            #"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "beagle:container", "children": []}, {}]}"#,
            .typeMissing,
            "$.children[1]"
        ),
        Case(#"{"_beagleComponent_": 7}"#, .invalidValue, "$._beagleComponent_"),
        Case(#"{"_beagleComponent_": "beagle:text"}"#, .invalidValue, "$.text"),
        Case(#"{"_beagleComponent_": "beagle:text", "text": null}"#, .invalidValue, "$.text"),
        Case(#"{"_beagleComponent_": "beagle:text", "text": 1}"#, .invalidValue, "$.text"),
        Case(#"{"_beagleComponent_": "beagle:text", "text": ["a"]}"#, .invalidValue, "$.text"),
        Case(#"{"_beagleComponent_": "beagle:container", "children": {}}"#, .invalidValue, "$.children"),
        Case(#"{"_beagleComponent_": "beagle:container", "children": [null]}"#, .invalidValue, "$.children[0]"),
        Case(#"{"_beagleComponent_": "beagle:container", "children": ["beagle:text"]}"#, .invalidValue, "$.children[0]"),
        Case(
            #"{"_beagleComponent_": "beagle:screenComponent", "child": {"_beagleComponent_": "beagle:listView", "children": [{"_beagleComponent_": "beagle:button", "text": false}]}}"#,
            .invalidValue,
            "$.child.children[0].text"
        ),
        Case(
            #"{"_beagleComponent_": "beagle:screenComponent", "navigationBar": {"title": "a", "navigationBarItems": [{"text": "b", "action": {}}]}, "child": {}}"#,
            .typeMissing,
            "$.navigationBar.navigationBarItems[0].action"
        ),
        Case(
            #"{"_beagleComponent_": "beagle:button", "text": "a", "onPress": [{"_beagleAction_": "beagle:pushView", "route": {"url": 1}}]}"#,
            .invalidValue,
            "$.onPress[0].route.url"
        ),
        Case(#"{"_beagleComponent_": "beagle:image", "path": {"_beagleImagePath_": "elsewhere"}}"#, .invalidValue, "$.path._beagleImagePath_"),
        Case(#"{"_beagleComponent_": "beagle:text", "text": "a", "style": {"a b": [0, 1e999]}}"#, .invalidValue, "$.style['a b'][1]"),
        Case("[]", .invalidValue),
        Case("null", .invalidValue),
        Case("\"beagle:text\"", .invalidValue),
        Case("42", .invalidValue),
    ])
    func whatAServerGetsWrongIsNamedWithItsPlace(wrong: Case) throws {
        let error = try #require(failure(of: wrong.json))
        #expect(error.code == wrong.code, "\(error)")
        #expect(error.path == wrong.path)
        #expect(error.message.hasSuffix("."))
        #expect(wrong.path == "$" || error.message.contains(wrong.path))
    }

    @Test func unknownTypesAreErrorsIfThatIsWanted() throws {
        let json = #"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "shop:offer"}]}"#
        #expect(failure(of: json) == nil)
        let error = try #require(failure(of: json, with: ComponentCoder(unknownTypes: .error)))
        #expect(error.code == .unknownType)
        #expect(error.path == "$.children[0]")
        #expect(error.message.contains("shop:offer"))
    }

    @Test func theNameOfATypeCannotDriveATerminal() throws {
        let name = "\\u001b[2J\\u202e" + String(repeating: "x", count: 10_000)
        let error = try #require(failure(of: #"{"_beagleComponent_": "\#(name)"}"#, with: ComponentCoder(unknownTypes: .error)))
        #expect(error.code == .unknownType)
        #expect(error.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format })
        #expect(error.message.count < 300)
    }

    @Test(arguments: [
        #"{"_beagleComponent_": "beagle:text", "text": "SECRET", "id": 1}"#,
        #"{"_beagleComponent_": "beagle:text", "text": "a", "id": ["SECRET"]}"#,
        #"{"_beagleComponent_": "beagle:image", "path": {"_beagleImagePath_": "SECRET"}}"#,
        #"{"_beagleComponent_": "beagle:text", "text": "SECRET"#,
        #"{"_beagleComponent_": ["SECRET"]}"#,
    ])
    func valuesAreNotInTheSentence(json: String) throws {
        let error = try #require(failure(of: json))
        #expect(!error.message.contains("SECRET"))
        #expect(!error.path.contains("SECRET"))
        #expect("\(error)" == error.message)
    }

    @Test func aComponentsOwnErrorGetsThePlaceOfTheComponent() throws {
        let coder = ComponentCoder(registry: ComponentRegistry([ContainerComponent.self, Refusing.self]))
        let json = #"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "test:refusing"}]}"#
        let error = try #require(failure(of: json, with: coder))
        #expect(error.code == .invalidValue)
        #expect(error.path == "$.children[0]")
        #expect(error.underlyingError is Refusing.Refusal)
    }

    @Test func codesAreReadable() {
        let codes: [ComponentCodingError.Code] = [.notJSON, .typeMissing, .unknownType, .invalidValue, .tooDeep, .encodingFailed]
        #expect(codes.map(\.description) == ["notJSON", "typeMissing", "unknownType", "invalidValue", "tooDeep", "encodingFailed"])
    }

    @Test(arguments: ["1e999", "\"1\"", "null", "[1]"])
    func aNumberOfAComponentThatIsNoneHasThePlaceOfItOrOfItsComponent(number: String) throws {
        let coder = ComponentCoder(registry: ComponentRegistry([ContainerComponent.self, Weighed.self]))
        let json = #"{"_beagleComponent_": "beagle:container", "children": [{"_beagleComponent_": "test:weighed", "weight": \#(number)}]}"#
        let error = try #require(failure(of: json, with: coder))
        #expect(error.code == .invalidValue)
        #expect(["$.children[0]", "$.children[0].weight"].contains(error.path))
        #expect(!error.message.contains(number) || number == "null")
    }

    @Test func aDateThatIsNoneHasItsPlace() throws {
        let coder = ComponentCoder(registry: ComponentRegistry([Dated.self]))
        let error = try #require(failure(of: #"{"_beagleComponent_": "test:dated", "date": "SECRET"}"#, with: coder))
        #expect(error.code == .invalidValue)
        #expect(error.path == "$.date")
        #expect(!error.message.contains("SECRET"))
    }

    @Test func namesOfMembersThatNobodyChoseForAPathStandInQuotes() throws {
        let json = #"{"_beagleComponent_": "beagle:text", "text": "a", "style": {"a.b\u001b": {"c d": [1, {"": 1e999}]}}}"#
        #expect(failure(of: json)?.path == #"$.style['a.b\u{1b}']['c d'][1]['']"#)
    }

    @Test func aWrongMemberInsideAPlaceholderIsKeptAsItIs() {
        let json = #"{"_beagleComponent_": "test:unknown", "child": {"_beagleComponent_": "beagle:text", "text": 1}}"#
        #expect(failure(of: json) == nil)
    }
}
