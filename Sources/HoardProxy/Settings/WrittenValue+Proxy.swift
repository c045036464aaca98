// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HoardHTTP

/// Values that only a proxy has.
extension WrittenValue {
    func address() throws(SettingProblem) -> CachingProxy.Configuration.Listener.Address {
        let text = try text("an address")
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count <= 100 else {
                throw problem("Behind “unix:” the path of a socket is expected, of at most 100 bytes.")
            }
            return .unix(path: path)
        }
        guard let address = CachingProxy.Configuration.Listener.Address(hostAndPort: text) else {
            throw problem("“\(text)” is no address; write 127.0.0.1:8080, [::1]:8080, :8080 for all addresses, or unix:/path/of/a/socket.")
        }
        return address
    }

    func origins() throws(SettingProblem) -> [Origin] {
        var origins: [Origin] = []
        let values = try list()
        guard values.count <= 1_000 else { throw problem("There are more than 1000 servers.") }
        for value in values {
            do {
                let origin = try Origin(try value.text("a URL"))
                guard !origins.contains(origin) else { throw value.problem("The server \(origin) is named twice.") }
                origins.append(origin)
            } catch let error as ProxyError {
                throw value.problem(error.message)
            } catch let error as SettingProblem {
                throw error
            } catch {
                throw value.problem("\(error)")
            }
        }
        return origins
    }

    func path() throws(SettingProblem) -> String {
        let text = try text("a path")
        guard text.utf8.first == UInt8(ascii: "/"), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else {
            throw problem("“\(text)” is no path; it begins with a slash, and has neither spaces nor a fragment.")
        }
        return text
    }

    func fieldNames() throws(SettingProblem) -> [HTTPField.Name] {
        var names: [HTTPField.Name] = []
        for value in try list() {
            let text = try value.text("the name of a field")
            guard let name = HTTPField.Name(text) else { throw value.problem("“\(text)” is no name of a field.") }
            if let objection = ProxySettings.Route.objection(toKeyField: name) { throw value.problem(objection) }
            if !names.contains(name) { names.append(name) }
        }
        guard names.count <= Vary.maximumNames else { throw problem("There are more than \(Vary.maximumNames) fields.") }
        return names
    }

    func tags() throws(SettingProblem) -> Set<String> {
        var tags: Set<String> = []
        for value in try list() {
            let tag = try value.text("a tag")
            guard (1...CacheTags.maximumBytes).contains(tag.utf8.count), tag.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw value.problem("A tag has 1 to \(CacheTags.maximumBytes) bytes and no control characters.")
            }
            tags.insert(tag)
        }
        guard tags.count <= 100 else { throw problem("There are more than 100 tags.") }
        return tags
    }

    /// A name that may stand in `Via` and in `Cache-Status` as it is.
    func cacheName() throws(SettingProblem) -> String {
        let text = try text("a name")
        guard (1...100).contains(text.utf8.count), HTTPField.Name(text) != nil else {
            throw problem("“\(text)” is no name of a cache; it has letters, digits and “-._” only.")
        }
        return text
    }
}

extension ProxySettings.Route {
    /// The reason why a field cannot select responses; `nil` if it can. The cache sees neither fields that concern one
    /// connection only nor fields in which clients describe themselves.
    static func objection(toKeyField name: HTTPField.Name) -> String? {
        switch name.canonicalName {
        case "host", "x-forwarded-host":
            return "“\(name.rawName)” cannot select responses; the host is part of keys if the upstream has “forward-host”."
        case "x-forwarded-proto": return nil
        case _ where name.isForwarding:
            return
                "“\(name.rawName)” cannot select responses: what clients say in it is dropped, and who they are must not come between the cache and its entries."
        case "expect", "max-forwards", "via":
            return "“\(name.rawName)” cannot select responses: it is about the way of a request, not about what is asked for."
        default:
            return name.isHopByHop
                ? "“\(name.rawName)” cannot select responses: it concerns a client's connection only, and origins do not get it." : nil
        }
    }

    /// Returns the fault of a host name; `nil` if it has none.
    static func objection(toHost host: String) -> String? {
        let name = host == "*" ? "" : host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
        if host == "*" { return nil }
        let isAddress = name.hasPrefix("[") && name.hasSuffix("]")
        if isAddress { return nil }
        if name.contains(":") { return "“\(host)” must be a host name without a port." }
        guard !name.isEmpty, name.utf8.count <= 253, !name.contains("*"),
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") })
        else { return "“\(host)” is no host name; write example.com, or *.example.com for all names below it." }
        return nil
    }
}

extension CachingProxy.Configuration.Listener.Address {
    /// Reads `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`, or `:8080` for all addresses of the machine.
    package init?(hostAndPort text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        var host = text[..<colon]
        if host.first == "[", host.last == "]" {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") || host.contains("/") || host.contains(" ") {
            return nil
        }
        self = .tcp(host: host.isEmpty ? "0.0.0.0" : String(host), port: Int(port))
    }

    /// The address as it is written: `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/hoard.sock`.
    package var text: String {
        switch base {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
