// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

public struct Pack<each Element: Sendable>: Sendable {
    public let elements: (repeat each Element)
    public init(_ elements: repeat each Element) { self.elements = (repeat each elements) }
}

extension Pack where repeat each Element: CustomStringConvertible {
    public var text: String {
        var texts: [String] = []
        for element in repeat each elements { texts.append(element.description) }
        return texts.joined(separator: " ")
    }
}
