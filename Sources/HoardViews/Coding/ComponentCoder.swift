// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Decodes components from JSON, each as the type that its discriminator names, and encodes them.
///
/// ```swift
/// let coder = ComponentCoder(registry: registry)
/// let screen = try coder.decode(data)
/// print(screen.treeDescription)
/// ```
///
/// Both take time in proportion to the bytes. Dates are written as ISO 8601, and read with or without fractions of a second. Member names that a component does not declare are passed by; of a name that an
/// object has twice, one counts.
public struct ComponentCoder: ComponentCoding {
    /// The handling of components whose type is not registered.
    public struct UnknownTypes: Hashable, Sendable {
        private enum Base: Hashable, Sendable { case placeholder, error }
        private let base: Base
        private init(_ base: Base) { self.base = base }

        /// It is decoded as an ``UnknownComponent``, so that the rest of the screen can be shown.
        public static var placeholder: Self { .init(.placeholder) }
        /// Decoding throws ``ComponentCodingError/Code/unknownType``.
        public static var error: Self { .init(.error) }
    }

    private let coding: ComponentCodingContext

    /// - Parameters:
    ///   - registry: The types that names stand for.
    ///   - discriminator: The member that names the type of a component.
    ///   - actionDiscriminator: The member that names the type of an action.
    ///   - unknownTypes: The treatment of a component whose type is not registered.
    ///   - maximumDepth: How deep objects and arrays may be nested, the outermost object being 1; a container takes two levels. Deeper is `tooDeep`. From 1 to 256. Each level
    ///     takes some of the stack: Hoard's own components at the default fit into the 512 KiB that threads have on Apple's systems, 256 levels need 2 MiB.
    public init(
        registry: ComponentRegistry = .standard,
        discriminator: String = "_beagleComponent_",
        actionDiscriminator: String = "_beagleAction_",
        unknownTypes: UnknownTypes = .placeholder,
        maximumDepth: Int = 96
    ) {
        precondition((1...256).contains(maximumDepth), "maximumDepth is \(maximumDepth); it must be from 1 to 256.")
        precondition(!discriminator.isEmpty && !actionDiscriminator.isEmpty, "The names of the discriminators must not be empty.")
        var coding = ComponentCodingContext()
        coding.registry = registry
        coding.discriminator = discriminator
        coding.actionDiscriminator = actionDiscriminator
        coding.unknownTypes = unknownTypes
        coding.maximumDepth = maximumDepth
        self.coding = coding
    }

    /// Decodes a component with all that it holds, from UTF-8 JSON with or without a byte order mark.
    ///
    /// - Throws: ``ComponentCodingError`` with the place in the JSON.
    public func decode(_ data: Data) throws(ComponentCodingError) -> any ServerDrivenComponent {
        let json = try JSONNesting.checked(data, maximumDepth: coding.maximumDepth)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(Self.date)
        var coding = coding
        coding.document = JSONDocument(json)
        if let key = ComponentCodingContext.key { decoder.userInfo[key] = coding }
        do {
            return try decoder.decode(AnyComponent.self, from: json).component
        } catch let error as ComponentCodingError {
            throw error
        } catch {
            throw ComponentCodingError(.notJSON, "The screen is not JSON.", underlyingError: error)
        }
    }

    /// Encodes a component with all that it holds: members in the order of the alphabet, so that equal components have equal bytes.
    ///
    /// - Throws: ``ComponentCodingError`` with the code `encodingFailed` or `tooDeep`.
    public func encode(_ component: any ServerDrivenComponent) throws(ComponentCodingError) -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = ComponentCodingContext.key { encoder.userInfo[key] = coding }
        do {
            return try encoder.encode(AnyComponent(component))
        } catch let error as ComponentCodingError {
            throw error
        } catch let error as EncodingError {
            var path = "$"
            if case .invalidValue(_, let context) = error { path = jsonPath(context.codingPath) }
            throw ComponentCodingError(.encodingFailed, path: path, "The value at \(path) cannot be written as JSON.", underlyingError: error)
        } catch {
            throw ComponentCodingError(.encodingFailed, "The component cannot be written as JSON.", underlyingError: error)
        }
    }

    /// The decoder's own way does not say where a date stands that is none, and knows no fractions.
    private static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let style = Date.ISO8601FormatStyle()
        if let date = (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)) { return date }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "It is no date of ISO 8601.")
    }
}
