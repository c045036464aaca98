// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ProxySettings {
    /// The sources of settings. A later one in this list prevails: a file, the environment, the command line.
    package struct Sources: Sendable {
        /// The text of a file, and its name for messages.
        package var file: (name: String, text: String)?
        /// All variables of the environment; those that do not concern the proxy are passed over.
        package var environment: [String: String]
        /// The values given on the command line, by flags without dashes.
        package var flags: [(name: String, values: [String])]

        package init(file: (name: String, text: String)? = nil, environment: [String: String] = [:], flags: [(name: String, values: [String])] = []) {
            self.file = file
            self.environment = environment
            self.flags = flags
        }
    }

    /// Reads and joins settings.
    ///
    /// - Throws: ``ProxyError/Code/invalidConfiguration``; the message has a line for each thing that is wrong, with its place.
    package init(_ sources: Sources) throws(ProxyError) {
        self.init()
        var problems: [SettingProblem] = []
        if let file = sources.file {
            do throws(SettingProblem) {
                let value = try WrittenValue.yaml(file.text, name: file.name)
                do throws(SettingProblems) { try value.read(Self.schema, into: &self) } catch { problems += error.problems }
                if !origins.isEmpty, !upstreams.isEmpty {
                    problems.append(value.problem("“origin” and “upstreams” contradict each other; name the servers in one of them only."))
                }
            } catch {
                problems.append(error)
            }
        }
        let hasUpstreamsInFile = !upstreams.isEmpty
        var given: [(flag: String, value: WrittenValue)] = []
        for description in Self.descriptions {
            guard let flag = description.flag else { continue }
            let name = Self.environmentName(ofFlag: flag)
            if let text = sources.environment[name] { given.append((flag, WrittenValue(text, at: .environment(name)))) }
        }
        for (flag, values) in sources.flags {
            let place = SettingPlace.flag("--\(flag)")
            given.append((flag, values.count == 1 ? WrittenValue(values[0], at: place) : WrittenValue(values, at: place)))
        }
        // An item of a list is there before its options are set.
        let lists = Set(Self.schema.compactMap(\.flag))
        for (flag, value) in given.filter({ lists.contains($0.flag) }) + given.filter({ !lists.contains($0.flag) }) {
            do throws(SettingProblems) { try set(flag, to: value) } catch { problems += error.problems }
            if flag == "origin", hasUpstreamsInFile, let file = sources.file {
                problems.append(
                    value.problem("This and the upstreams of \(file.name) contradict each other; name the servers in one place only.")
                )
            }
        }
        if let text = sources.environment[Self.adminTokenName], !text.isEmpty {
            adminToken = Self.adminToken(in: text)
            // The message does not repeat it: it may be meant as a secret.
            if adminToken == nil { problems.append(.init(.environment(Self.adminTokenName), "The admin token \(Self.adminTokenRule).")) }
        }
        redisPassword = sources.environment[Self.redisPasswordName].flatMap { $0.isEmpty ? nil : $0 }
        guard problems.isEmpty else { throw ProxyError(problems) }
    }

    /// The rule for admin tokens, as the end of a sentence.
    package static let adminTokenRule = "must be one word of at least 16 characters"

    /// The admin token in a text, which may have white space around it; `nil` if there is none that is worth the name.
    package static func adminToken(in text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, words[0].utf8.count >= 16, words[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return String(words[0])
    }

    /// Sets the option of a flag; in all items, if it is an option of the items of a list.
    private mutating func set(_ flag: String, to value: WrittenValue) throws(SettingProblems) {
        if try Self.schema.set(flag, to: value, in: &self) { return }
        if try Self.cacheSchema.set(flag, to: value, in: &cache) { return }
        if try Self.redisSchema.set(flag, to: value, in: &redis) { return }
        if try Self.limitSchema.set(flag, to: value, in: &limits) { return }
        if try Self.adminSchema.set(flag, to: value, in: &admin) { return }
        if try Self.accessLogSchema.set(flag, to: value, in: &accessLog) { return }
        if try Self.recordingSchema.set(flag, to: value, in: &recording) { return }
        if try Self.traceSchema.set(flag, to: value, in: &traces) { return }
        if try Self.warmUpSchema.set(flag, to: value, in: &warmUp) { return }
        if Self.listenerSchema.contains(where: { $0.flag == flag }) {
            for index in listeners.indices { _ = try Self.listenerSchema.set(flag, to: value, in: &listeners[index]) }
            return
        }
        if Self.upstreamSchema.contains(where: { $0.flag == flag }) {
            if upstreams.isEmpty { _ = try Self.upstreamSchema.set(flag, to: value, in: &originUpstream) }
            for index in upstreams.indices { _ = try Self.upstreamSchema.set(flag, to: value, in: &upstreams[index]) }
            return
        }
        if Self.healthCheckSchema.contains(where: { $0.flag == flag }) {
            func set(in upstream: inout Upstream) throws(SettingProblems) {
                var check = upstream.upstream.healthCheck ?? .init()
                _ = try Self.healthCheckSchema.set(flag, to: value, in: &check)
                upstream.upstream.healthCheck = check
            }
            if upstreams.isEmpty { try set(in: &originUpstream) }
            for index in upstreams.indices { try set(in: &upstreams[index]) }
            return
        }
        if Self.routeSchema.contains(where: { $0.flag == flag }) {
            if routes.isEmpty { routes = [Route()] }
            for index in routes.indices { _ = try Self.routeSchema.set(flag, to: value, in: &routes[index]) }
            return
        }
        throw SettingProblems([value.problem("There is no such option.")])
    }

    /// Variables of the environment that look as if they were meant for the proxy, but are not known, each with the name that may have been meant.
    package static func misspelledVariables(in environment: [String: String]) -> [(name: String, meant: String)] {
        let known = descriptions.compactMap(\.environmentName) + [adminTokenName, redisPasswordName, configName]
        return environment.keys.filter { $0.hasPrefix(environmentPrefix) && !known.contains($0) }.sorted().compactMap { name in
            // Only the part behind the prefix tells the names apart.
            let nearest = Spelling.nearest(
                to: String(name.dropFirst(environmentPrefix.count)),
                among: known.map { String($0.dropFirst(environmentPrefix.count)) }
            )
            return nearest.map { (name, environmentPrefix + $0) }
        }
    }
}

extension Array {
    /// Sets the option of a flag. Returns whether it is one of these options.
    fileprivate func set<Target>(_ flag: String, to value: WrittenValue, in target: inout Target) throws(SettingProblems) -> Bool
    where Element == Setting<Target> {
        guard let setting = first(where: { $0.flag == flag }) else { return false }
        try setting.read(value, &target)
        return true
    }
}

extension ProxyError {
    /// A line for each problem.
    init(_ problems: [SettingProblem]) {
        self.init(.invalidConfiguration, problems.prefix(SettingProblems.maximumCount).map(\.description).joined(separator: "\n"))
    }
}
