// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension CacheControl {
    /// The directives in the fields of a response.
    ///
    /// All `Cache-Control` lines count, in order. `Pragma` has no meaning in a response:
    /// [RFC 9111 §5.4](https://www.rfc-editor.org/rfc/rfc9111#section-5.4). Complexity: O(*n*) in the number of bytes.
    package init(response fields: HTTPFields) {
        self.init()
        add(linesOf: .cacheControl, in: fields)
    }

    /// The directives of a response that has one `Cache-Control` line.
    init(responseLine line: [UInt8]) {
        self.init()
        add(line)
    }

    /// The directives in the fields of a request.
    ///
    /// `Pragma: no-cache` counts as `Cache-Control: no-cache` if there is no `Cache-Control` field:
    /// [RFC 9111 §5.4](https://www.rfc-editor.org/rfc/rfc9111#section-5.4). Complexity: O(*n*) in the number of bytes.
    package init(request fields: HTTPFields) {
        self.init()
        if fields.contains(.cacheControl) {
            add(linesOf: .cacheControl, in: fields)
        } else if fields.contains(.pragma) {
            var pragma = CacheControl()
            pragma.add(linesOf: .pragma, in: fields)
            noCache = pragma.noCache.map { _ in .wholeResponse }
        }
    }

    /// Each line is read by itself, so that a quote left open in one cannot hide the directives of the next.
    private mutating func add(linesOf name: HTTPField.Name, in fields: HTTPFields) {
        for line in fields.lines(of: name) { add(line) }
    }

    private mutating func add(_ line: [UInt8]) {
        for member in ListMembers(line) {
            let parsed = ParsedDirective(member)
            if let directive = CacheDirective(parsed.name) { add(directive, parsed.argument) }
        }
    }

    /// Takes one directive into account.
    mutating func add(_ directive: CacheDirective, _ argument: DirectiveArgument) {
        switch directive {
        case .maxAge: restrict(&maxAge, to: argument.seconds ?? 0)
        case .sharedMaxAge: restrict(&sharedMaxAge, to: argument.seconds ?? 0)
        case .staleIfError: restrict(&staleIfError, to: argument.seconds ?? 0)
        case .staleWhileRevalidate: restrict(&staleWhileRevalidate, to: argument.seconds ?? 0)
        case .maxStale: restrict(&maxStale, to: argument == .absent ? Self.unlimitedStaleness : argument.seconds ?? 0)
        case .minFresh: minFresh = max(minFresh ?? 0, argument.seconds ?? DeltaSeconds.maximum)
        case .noCache: Scope.add(argument.scope, to: &noCache)
        case .private: Scope.add(argument.scope, to: &privateScope)
        case .noStore: noStore = true
        case .noTransform: noTransform = true
        case .mustRevalidate: mustRevalidate = true
        case .proxyRevalidate: proxyRevalidate = true
        case .onlyIfCached: onlyIfCached = true
        case .public: isPublic = isPublic || argument != .malformed
        case .immutable: isImmutable = isImmutable || argument != .malformed
        case .mustUnderstand: mustUnderstand = mustUnderstand || argument != .malformed
        }
    }

    /// A second value that differs from the first leaves nothing permitted.
    private func restrict(_ value: inout Int64?, to seconds: Int64) {
        value = value == nil || value == seconds ? seconds : 0
    }
}

extension CacheControl.Scope {
    fileprivate static func add(_ scope: Self, to sum: inout Self?) {
        guard case .fields(let more) = scope, case .fields(var names)? = sum else {
            sum = sum == nil ? scope : .wholeResponse
            return
        }
        // Let go of the list before it grows, or each addition would copy it.
        sum = nil
        names += more
        sum = .fields(names)
    }
}

/// One member of a `Cache-Control` field: a name, and perhaps an argument in either of the forms that
/// [RFC 9111 §5.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2) tells recipients to accept.
private struct ParsedDirective {
    let name: ArraySlice<UInt8>
    let argument: DirectiveArgument

    init(_ member: ListMembers.Member) {
        let bytes = member.bytes
        name = bytes.prefix { $0.isTokenCharacter }
        let rest = bytes[name.endIndex...]
        guard !member.isDamaged, rest.first == .equalsSign else {
            argument = member.isDamaged || !rest.isEmpty ? .malformed : .absent
            return
        }
        let value = rest.dropFirst()
        if value.first == .doubleQuote {
            argument = Self.unquoted(value).map { DirectiveArgument($0) } ?? .malformed
        } else {
            argument = !value.isEmpty && value.allSatisfy { $0.isTokenCharacter } ? DirectiveArgument(Array(value)) : .malformed
        }
    }

    /// The content of a `quoted-string`; `nil` if the bytes are not exactly one.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        var index = bytes.startIndex + 1
        while index < bytes.endIndex, bytes[index] != .doubleQuote {
            if bytes[index] == .backslash { index += 1 }
            guard index < bytes.endIndex else { return nil }
            content.append(bytes[index])
            index += 1
        }
        return index == bytes.endIndex - 1 ? content : nil
    }
}

extension DirectiveArgument {
    /// The argument that these bytes are, without quotes.
    fileprivate init(_ bytes: [UInt8]) {
        self = DeltaSeconds.parse(bytes).map { .seconds($0) } ?? .text(bytes)
    }
}
