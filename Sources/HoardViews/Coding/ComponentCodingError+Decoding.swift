// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ComponentCodingError {
    static func tooDeep(path: [any CodingKey], limit: Int) -> Self {
        ComponentCodingError(.tooDeep, path: jsonPath(path), "Components are nested deeper than \(limit) levels.")
    }

    /// Creates the error for one that a component's own `init(from:)` has thrown.
    ///
    /// The sentences are made here: those of decoders can hold a server's data.
    init(decoding error: any Error, at component: [any CodingKey]) {
        guard let decoding = error as? DecodingError else {
            let path = jsonPath(component)
            self.init(.invalidValue, path: path, "The component at \(path) cannot be used.", underlyingError: error)
            return
        }
        // A decoder may not say where it was, but the component is known at least.
        func place(_ path: [any CodingKey]) -> String { jsonPath(path.count < component.count ? component : path) }
        switch decoding {
        case .keyNotFound(let key, let context):
            let path = place(context.codingPath + [key])
            self.init(.invalidValue, path: path, "\(path) is missing.", underlyingError: error)
        case .valueNotFound(let type, let context):
            let path = place(context.codingPath)
            self.init(.invalidValue, path: path, "\(path) is null or missing, where \(Self.name(of: type)) is needed.", underlyingError: error)
        case .typeMismatch(let type, let context):
            let path = place(context.codingPath)
            self.init(.invalidValue, path: path, "\(path) has the wrong type; \(Self.name(of: type)) is needed.", underlyingError: error)
        case .dataCorrupted(let context):
            let path = place(context.codingPath)
            self.init(.invalidValue, path: path, "\(path) has a value that cannot be used.", underlyingError: error)
        @unknown default:
            let path = jsonPath(component)
            self.init(.invalidValue, path: path, "The component at \(path) cannot be used.", underlyingError: error)
        }
    }

    /// JSON's name for a type.
    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is [Any].Type: "an array"
        case is [String: Any].Type: "an object"
        default: "\(type)"
        }
    }
}
