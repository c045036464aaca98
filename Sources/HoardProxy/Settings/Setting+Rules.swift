// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The kinds of options that only rules have.
extension Setting {
    static func networks(_ name: String, _ path: Path<[IPNetwork]>, flag: String, _ summary: String) -> Self {
        value(name, .texts, path, flag: flag, summary) { value throws(SettingProblem) in
            var networks: [IPNetwork] = []
            for item in try value.list() {
                let text = try item.text("a network")
                guard let network = IPNetwork(text) else {
                    throw item.problem("“\(text)” is no network; write 10.0.0.0/8, 2001:db8::/32, one address, or unix.")
                }
                networks.append(network)
            }
            return networks
        } write: {
            .list($0.map { .scalar($0.description) })
        }
    }

    static func template(
        _ name: String,
        _ path: Path<MessageTemplate?>,
        flag: String,
        _ summary: String,
        check: @escaping @Sendable (MessageTemplate) -> String? = { _ in nil }
    ) -> Self {
        value(name, .text, path, flag: flag, summary) { value throws(SettingProblem) in
            if case .nothing = value.content { return nil }
            let template = try value.template(try value.text("a text"))
            if let objection = check(template) { throw value.problem(objection) }
            return template
        } write: {
            $0.map { .scalar($0.description) }
        }
    }

    static func fieldNames(
        _ name: String,
        _ path: Path<[HTTPField.Name]>,
        flag: String,
        _ summary: String,
        check: @escaping @Sendable (HTTPField.Name) -> String?
    ) -> Self {
        value(name, .texts, path, flag: flag, summary) { value throws(SettingProblem) in
            var names: [HTTPField.Name] = []
            for item in try value.list() { names.append(try item.ruledName(try item.text("the name of a field"), check)) }
            return names
        } write: {
            .list($0.map { .scalar($0.rawName) })
        }
    }

    /// - Parameter hidesSecrets: Whether values are hidden, where settings are printed, of fields in which servers get secrets.
    static func fieldRules(
        _ name: String,
        _ path: Path<[CachingProxy.Configuration.FieldRule]>,
        flag: String,
        hidesSecrets: Bool = false,
        _ summary: String,
        check: @escaping @Sendable (HTTPField.Name) -> String?
    ) -> Self {
        value(name, .lines, path, flag: flag, summary) { value throws(SettingProblem) in
            var rules: [CachingProxy.Configuration.FieldRule] = []
            for item in try value.lines() {
                let (name, written) = try item.ruledField(check)
                rules.append(.init(name: name, value: try item.template(written)))
            }
            guard rules.count <= 100 else { throw value.problem("There are more than 100 fields.") }
            return rules
        } write: { rules in
            .list(rules.map { .scalar($0.name.printed(with: $0.value.description, hidesSecrets: hidesSecrets)) })
        }
    }
}

extension Setting {
    static func fields(
        _ name: String,
        _ path: Path<[HTTPField]>,
        flag: String,
        _ summary: String,
        check: @escaping @Sendable (HTTPField.Name) -> String?
    ) -> Self {
        value(name, .lines, path, flag: flag, summary) { value throws(SettingProblem) in
            var fields: [HTTPField] = []
            for item in try value.lines() {
                let (name, written) = try item.ruledField(check)
                fields.append(HTTPField(name: name, value: written))
            }
            return fields
        } write: { fields in
            .list(fields.map { .scalar($0.name.printed(with: $0.value, hidesSecrets: true)) })
        }
    }
}

extension WrittenValue {
    /// The name and the value of a field that is written as in a message.
    fileprivate func ruledField(_ check: (HTTPField.Name) -> String?) throws(SettingProblem) -> (HTTPField.Name, String) {
        let text = try text("a field")
        guard let colon = text.firstIndex(of: ":") else { throw problem("“\(text)” is no field; write “Name: value”.") }
        let name = try ruledName(String(text[..<colon]), check)
        let written = text[text.index(after: colon)...].trimmingPrefix { $0 == " " || $0 == "\t" }
        guard HTTPField.isValidValue(String(written)), written.last != " ", written.last != "\t" else {
            throw problem("The value of “\(name.rawName)” has characters that no field has, or spaces at its end.")
        }
        if written == HTTPField.hiddenValue {
            throw problem("The value of “\(name.rawName)” is hidden, as it is where settings are printed; write the value itself.")
        }
        return (name, String(written))
    }

    fileprivate func template(_ text: String) throws(SettingProblem) -> MessageTemplate {
        do { return try MessageTemplate(text) } catch { throw problem(error.message) }
    }

    fileprivate func ruledName(_ text: String, _ check: (HTTPField.Name) -> String?) throws(SettingProblem) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else { throw problem("“\(text)” is no name of a field.") }
        if let objection = check(name) { throw problem(objection) }
        return name
    }

    /// Several values that may have commas: a list, or in the environment lines of a text.
    fileprivate func lines() throws(SettingProblem) -> [WrittenValue] {
        guard case .scalar(let text) = content, case .environment = place else {
            if case .scalar(let text) = content { return text.isEmpty ? [] : [self] }
            return try list()
        }
        return text.split(separator: "\n").map { WrittenValue(.scalar(String($0)), at: place) }
    }
}

extension HTTPField {
    /// Stands for a value that is a secret, where settings are printed. It is refused where they are read, so that no server gets it.
    fileprivate static var hiddenValue: String { "(hidden)" }
}

extension HTTPField.Name {
    /// The field as it is printed.
    fileprivate func printed(with value: String, hidesSecrets: Bool) -> String {
        "\(rawName): \(hidesSecrets && mayHoldSecret ? HTTPField.hiddenValue : value)"
    }

    /// Whether the name is one of those under which secrets are sent, by which servers know a client.
    private var mayHoldSecret: Bool {
        [
            "auth", "cookie", "credential", "hmac", "jwt", "key", "passcode", "passphrase", "passwd", "password", "secret", "session", "signature",
            "token", "verify",
        ].contains { canonicalName.contains($0) }
    }
}
