// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Turns a server's data into components, and back.
public protocol ComponentCoding: Sendable {
    /// Decodes a component with all that it holds.
    func decode(_ data: Data) throws(ComponentCodingError) -> any ServerDrivenComponent

    /// Encodes a component with all that it holds.
    func encode(_ component: any ServerDrivenComponent) throws(ComponentCodingError) -> Data
}
