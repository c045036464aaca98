// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The directives that Hoard knows, by the names they have on the wire.
///
/// [RFC 9111 §5.2](https://www.rfc-editor.org/rfc/rfc9111#section-5.2)
enum CacheDirective: String, CaseIterable {
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

    /// Whether the directive widens a cache's rights, and never has an argument.
    var isBarePermission: Bool {
        switch self {
        case .public, .immutable, .mustUnderstand: true
        default: false
        }
    }

    /// The directives by the length of their names, so that few have to be compared.
    private static let byLength: [[(name: [UInt8], directive: CacheDirective)]] = {
        let named = allCases.map { (name: Array($0.rawValue.utf8), directive: $0) }
        let longest = named.map(\.name.count).max() ?? 0
        return (0...longest).map { length in named.filter { $0.name.count == length } }
    }()

    /// Reads a name in any case.
    init?(_ name: ArraySlice<UInt8>) {
        guard name.count < Self.byLength.count,
            let match = Self.byLength[name.count].first(where: { name.lowercasedEquals($0.name) })
        else { return nil }
        self = match.directive
    }
}

/// The argument of a directive, whichever syntax it came in.
enum DirectiveArgument: Hashable {
    /// There is none.
    case absent
    case seconds(Int64)
    /// Anything else that is well formed, without its quotes.
    case text([UInt8])
    case malformed

    /// The argument as a number of seconds; `nil` if it is none.
    var seconds: Int64? {
        if case .seconds(let seconds) = self { seconds } else { nil }
    }

    /// The fields that the argument names, or the whole response if it names none, or none that can be left out safely.
    var scope: CacheControl.Scope {
        guard case .text(let bytes) = self else { return .wholeResponse }
        var names: [HTTPField.Name] = []
        for member in ListMembers(bytes) {
            guard let name = HTTPField.Name(String(decoding: member.bytes, as: UTF8.self)), !name.isNeededToJudgeStoredResponse else {
                return .wholeResponse
            }
            names.append(name)
        }
        return names.isEmpty ? .wholeResponse : .fields(names)
    }
}
