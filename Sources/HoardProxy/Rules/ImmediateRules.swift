// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Rules of a route for a stored response that is sent by its bytes: they take lines out of its head, and put lines behind it.
///
/// There are none where the rules depend on a request, its client or its way.
struct ImmediateRules: Sendable {
    /// The names of fields that are taken out, in small letters.
    private let removed: [[UInt8]]
    /// Lines that follow.
    private let added: [UInt8]
    /// Lines that follow if there is none of the name, over TLS alone perhaps.
    private let initial: [(name: [UInt8], line: [UInt8], needsTLS: Bool)]
    /// Lines that follow all others.
    private let last: [UInt8]
    /// The most bytes that are added.
    let maximumByteCount: Int

    /// - Returns: `nil` if the rules cannot be applied to bytes.
    init?(_ rules: CachingProxy.Configuration.Rules, mayTrustProxies: Bool) {
        guard rules.allowedNetworks.isEmpty, rules.deniedNetworks.isEmpty, rules.authentication == nil, rules.answer == nil,
            rules.replacedPath == nil
        else { return nil }
        // Stored responses are found here without a look at the fields of the request.
        guard !rules.requestFields.names.contains(where: \.decidesAboutReuse) else { return nil }
        guard !(rules.addsSecurityFields && mayTrustProxies) else { return nil }
        var response = rules.responseFields
        var last: [UInt8] = []
        if let crossOrigin = rules.crossOrigin {
            // These replace all other lines of the same names.
            guard let fields = CrossOriginRules(crossOrigin).constantFields,
                response.names.allSatisfy({ !CrossOriginRules.replaced.contains($0) })
            else { return nil }
            response.removed += CrossOriginRules.replaced
            last = fields.flatMap { Self.line($0) }
        }
        // These are not among the bytes that are stored.
        guard !response.names.contains(where: { ["age", "cache-status", "via", "content-length", "date"].contains($0.canonicalName) }) else {
            return nil
        }
        let names = response.set.map(\.name.canonicalName)
        // One that is set twice is set by the last.
        guard Set(names).count == names.count else { return nil }
        var added: [UInt8] = []
        for rule in response.set + response.added {
            guard let value = rule.value.constant else { return nil }
            added += Self.line(HTTPField(name: rule.name, value: value))
        }
        let written = Set((response.set + response.added).map(\.name.canonicalName))
        var initial: [(name: [UInt8], line: [UInt8], needsTLS: Bool)] = []
        if rules.addsSecurityFields {
            for field in SecurityFields.all(isSecure: true) where !written.contains(field.name.canonicalName) {
                let needsTLS = field == SecurityFields.strictTransport
                initial.append((Array(field.name.canonicalName.utf8), Self.line(field), needsTLS))
            }
        }
        self.removed = (response.removed + response.set.map(\.name)).map { Array($0.canonicalName.utf8) }
        self.added = added
        self.initial = initial
        self.last = last
        maximumByteCount = added.count + last.count + initial.reduce(0) { $0 + $1.line.count }
    }

    private static func line(_ field: HTTPField) -> [UInt8] { Array("\(field.name.rawName): \(field.value)\r\n".utf8) }

    /// Writes the lines of a head that stay.
    ///
    /// - Parameters:
    ///   - head: A status line and fields, each with CR and LF.
    ///   - write: Gets pieces of it, in their order.
    /// - Returns: The facts about the head that are needed for ``writeAdded(_:isSecure:_:)``.
    /// - Complexity: O(*n*) in the bytes of the head.
    @inline(__always)
    func writeKept(of head: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) -> Void) -> Present {
        var present: Present = 0
        if removed.isEmpty, initial.isEmpty {
            write(head)
            return present
        }
        var kept = 0
        var lineStart = (head.firstIndex(of: UInt8(ascii: "\n")) ?? head.count - 1) + 1
        while lineStart < head.count {
            let end = (head[lineStart...].firstIndex(of: UInt8(ascii: "\n")) ?? head.count - 1) + 1
            let nameEnd = head[lineStart..<end].firstIndex(of: UInt8(ascii: ":")) ?? lineStart
            let name = UnsafeRawBufferPointer(rebasing: head[lineStart..<nameEnd])
            if removed.contains(where: { name.isName($0) }) {
                write(UnsafeRawBufferPointer(rebasing: head[kept..<lineStart]))
                kept = end
            } else {
                for (index, field) in initial.enumerated() where name.isName(field.name) { present |= 1 << index }
            }
            lineStart = end
        }
        write(UnsafeRawBufferPointer(rebasing: head[kept...]))
        return present
    }

    /// The elements of ``initial`` that a head has.
    typealias Present = UInt8

    /// Writes the lines that come behind the others.
    @inline(__always)
    func writeAdded(_ present: Present, isSecure: Bool, _ write: ([UInt8]) -> Void) {
        write(added)
        for (index, field) in initial.enumerated() where present & 1 << index == 0 && (isSecure || !field.needsTLS) { write(field.line) }
        write(last)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether this is a name of a field.
    ///
    /// - Parameter name: In small letters.
    @inline(__always)
    fileprivate func isName(_ name: [UInt8]) -> Bool {
        guard count == name.count else { return false }
        for index in 0..<count where self[index] | ((0x41...0x5A).contains(self[index]) ? 0x20 : 0) != name[index] { return false }
        return true
    }
}

extension HTTPField.Name {
    /// Whether a field of the request can keep a stored response from being the answer, without being named in `Vary`.
    fileprivate var decidesAboutReuse: Bool {
        switch canonicalName {
        case "authorization", "cache-control", "pragma", "range", "te", "expect": true
        default: canonicalName.hasPrefix("if-")
        }
    }
}
