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
        for line in fields.lines(of: name) {
            for member in ListMembers(line) {
                add(ParsedDirective(member))
            }
        }
    }

    private mutating func add(_ directive: ParsedDirective) {
        guard let name = Directive(directive.name) else { return }
        switch name {
        case .maxAge: restrict(&maxAge, to: directive.seconds ?? 0)
        case .sharedMaxAge: restrict(&sharedMaxAge, to: directive.seconds ?? 0)
        case .staleIfError: restrict(&staleIfError, to: directive.seconds ?? 0)
        case .staleWhileRevalidate: restrict(&staleWhileRevalidate, to: directive.seconds ?? 0)
        case .maxStale: restrict(&maxStale, to: directive.isBare ? Self.unlimitedStaleness : directive.seconds ?? 0)
        case .minFresh: minFresh = max(minFresh ?? 0, directive.seconds ?? DeltaSeconds.maximum)
        case .noCache: noCache = Scope.union(noCache, directive.scope)
        case .private: privateScope = Scope.union(privateScope, directive.scope)
        case .noStore: noStore = true
        case .noTransform: noTransform = true
        case .mustRevalidate: mustRevalidate = true
        case .proxyRevalidate: proxyRevalidate = true
        case .onlyIfCached: onlyIfCached = true
        case .public: isPublic = isPublic || !directive.isMalformed
        case .immutable: isImmutable = isImmutable || !directive.isMalformed
        case .mustUnderstand: mustUnderstand = mustUnderstand || !directive.isMalformed
        }
    }

    /// A second value that differs from the first leaves nothing permitted.
    private func restrict(_ value: inout Int64?, to seconds: Int64) {
        value = value == nil || value == seconds ? seconds : 0
    }
}

extension CacheControl.Scope {
    fileprivate static func union(_ first: Self?, _ second: Self) -> Self {
        switch (first, second) {
        case (nil, _): second
        case (.fields(let names), .fields(let more)): .fields(names + more)
        default: .wholeResponse
        }
    }
}

/// The directives that Hoard knows, by the names they have on the wire.
private enum Directive: String, CaseIterable {
    case maxAge = "max-age"
    case noCache = "no-cache"
    case noStore = "no-store"
    case `public`
    case `private`
    case sharedMaxAge = "s-maxage"
    case mustRevalidate = "must-revalidate"
    case immutable
    case staleWhileRevalidate = "stale-while-revalidate"
    case staleIfError = "stale-if-error"
    case noTransform = "no-transform"
    case proxyRevalidate = "proxy-revalidate"
    case mustUnderstand = "must-understand"
    case maxStale = "max-stale"
    case minFresh = "min-fresh"
    case onlyIfCached = "only-if-cached"

    /// The directives by the length of their names, so that few have to be compared.
    private static let byLength: [[(name: [UInt8], directive: Directive)]] = {
        let named = allCases.map { (name: Array($0.rawValue.utf8), directive: $0) }
        let longest = named.map(\.name.count).max() ?? 0
        return (0...longest).map { length in named.filter { $0.name.count == length } }
    }()

    init?(_ name: ArraySlice<UInt8>) {
        guard name.count < Self.byLength.count,
            let match = Self.byLength[name.count].first(where: { name.lowercasedEquals($0.name) })
        else { return nil }
        self = match.directive
    }
}

/// One member of a `Cache-Control` field: a name, and perhaps an argument in either of the forms that
/// [RFC 9111 §5.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2) tells recipients to accept.
private struct ParsedDirective {
    let name: ArraySlice<UInt8>
    /// Without its quotes, if it had any.
    private let argument: ArraySlice<UInt8>?
    let isMalformed: Bool

    init(_ member: ListMembers.Member) {
        let bytes = member.bytes
        name = bytes.prefix { $0.isTokenCharacter }
        let rest = bytes[name.endIndex...]
        guard rest.first == .equalsSign else {
            argument = nil
            isMalformed = member.isDamaged || !rest.isEmpty
            return
        }
        let value = rest.dropFirst()
        if value.first == .doubleQuote {
            argument = Self.unquoted(value)
        } else {
            argument = !value.isEmpty && value.allSatisfy { $0.isTokenCharacter } ? value : nil
        }
        isMalformed = member.isDamaged || argument == nil
    }

    /// Whether there is a name and nothing else.
    var isBare: Bool { argument == nil && !isMalformed }

    /// The argument as a number of seconds; `nil` if it is none.
    var seconds: Int64? {
        isMalformed ? nil : argument.flatMap { DeltaSeconds.parse($0) }
    }

    /// The fields that the argument names, or the whole response if it names none, or none that can be left out safely.
    var scope: CacheControl.Scope {
        guard !isMalformed, let argument else { return .wholeResponse }
        var names: [HTTPField.Name] = []
        for member in ListMembers(Array(argument)) {
            guard let name = HTTPField.Name(String(decoding: member.bytes, as: UTF8.self)), !name.isNeededToJudgeStoredResponse else {
                return .wholeResponse
            }
            names.append(name)
        }
        return names.isEmpty ? .wholeResponse : .fields(names)
    }

    /// The content of a `quoted-string`; `nil` if the bytes are not exactly one.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var content: [UInt8] = []
        var index = bytes.startIndex + 1
        while index < bytes.endIndex, bytes[index] != .doubleQuote {
            if bytes[index] == .backslash { index += 1 }
            guard index < bytes.endIndex else { return nil }
            content.append(bytes[index])
            index += 1
        }
        return index == bytes.endIndex - 1 ? content[...] : nil
    }
}
