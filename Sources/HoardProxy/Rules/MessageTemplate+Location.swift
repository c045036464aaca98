// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension MessageTemplate {
    /// The place that a client is sent to.
    ///
    /// It is the site that the template names, whatever the client asked for: a path that begins with two slashes would be another host
    /// ([RFC 3986 §4.2](https://www.rfc-editor.org/rfc/rfc3986#section-4.2)), and browsers read a backslash as a slash.
    func location(_ request: RuledRequest) -> String {
        let text = text(request)
        guard text.first == "/" else { return text }
        return "/" + text.drop { $0 == "/" || $0 == "\\" }
    }

    /// The reason why a template is no place that clients can be sent to; `nil` if it is one.
    ///
    /// Its beginning has to say for sure which site is meant.
    var objectionToLocation: String? {
        let example = "write https://example.com{path}{query}, https://{host}/new, or /new/{rest}."
        if names(.cache) { return "{cache} is not known yet when a request is answered." }
        guard parts.allSatisfy({ if case .text(let text) = $0 { text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } } else { true } }) else {
            return "A place to go to has neither spaces nor letters beyond ASCII."
        }
        var rest = parts[...]
        switch rest.first {
        case .variable(.path)?: return nil
        case .text(let text)? where text.hasPrefix("/"):
            return text.hasPrefix("//") || text.hasPrefix("/\\") ? "A place must not begin with two slashes; \(example)" : nil
        case .variable(.scheme)?:
            rest = rest.dropFirst()
            guard case .text(let text)? = rest.first, text.hasPrefix("://") else { return "Behind {scheme} “://” is expected; \(example)" }
            return Self.objection(toAuthority: text.dropFirst(3), rest.dropFirst(), example)
        case .text(let text)?:
            guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
                return "A place to go to begins with http://, https:// or a slash; \(example)"
            }
            return Self.objection(toAuthority: text.dropFirst(scheme.count), rest.dropFirst(), example)
        default:
            return "What a client asks for must not decide which site it is sent to; \(example)"
        }
    }

    /// - Parameters:
    ///   - text: The text after the scheme.
    ///   - rest: The text after that.
    private static func objection(toAuthority text: Substring, _ rest: ArraySlice<Part>, _ example: String) -> String? {
        if text.contains(where: { $0 == "/" || $0 == "?" || $0 == "#" }) {
            return text.first == "/" ? "No host is named; \(example)" : nil
        }
        var (text, rest) = (text, rest)
        if text.isEmpty {
            guard case .variable(.host)? = rest.first else { return "No host is named; \(example)" }
            rest = rest.dropFirst()
            if case .text(let next)? = rest.first {
                guard next.first == "/" || next.first == "?" || next.first == ":" else {
                    return "What follows {host} would change the host; \(example)"
                }
                if next.contains("/") { return nil }
                text = Substring(next)
                rest = rest.dropFirst()
            }
        }
        // A query may be empty.
        while case .variable(.query)? = rest.first { rest = rest.dropFirst() }
        switch rest.first {
        case nil, .variable(.path)?: return nil
        case .text(let text)? where text.first == "/" || text.first == "?" || text.first == "#": return nil
        default: return "What follows the host must begin with a slash; \(example)"
        }
    }
}
