// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import HoardHTTPTestSupport

@testable import HoardHTTP
@testable import HoardMessages

/// The rules for the fields of messages with any content.
enum FieldChecks {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)
    private static let rules = HTTPCacheRules(mode: .shared, targets: [.cdnCacheControl].compactMap { $0 })

    /// A request and a response with these fields are judged without contradictions.
    static func checkMessages(_ fields: HTTPFields) throws {
        let request = HTTPRequest(method: .get, scheme: "http", authority: "example.com", path: "/", headerFields: fields)
        for mode in [CacheMode.private, .shared] {
            let response = HTTPResponse(status: .ok, headerFields: fields)
            let rules = HTTPCacheRules(mode: mode, targets: [.cdnCacheControl])
            let freshness = ResponseFreshness(of: response, requestTime: now, responseTime: now, rules: rules)
            try require(freshness.lifetime.seconds >= 0, "The lifetime is \(freshness.lifetime.seconds).")
            var age = -1.0
            for seconds in [-10, 0, 1, 1e6, 1e12] {
                let current = freshness.age.seconds(at: now.addingTimeInterval(seconds))
                try require(current >= max(0, age) && current <= Double(DeltaSeconds.maximum), "The age goes from \(age) to \(current).")
                age = current
            }
            let isStorable = Storability(of: response, to: request, freshness: freshness, rules: rules) == .storable
            let directives = freshness.cacheControl
            try require(!isStorable || !directives.noStore || directives.mustUnderstand, "What must not be stored is.")
            if mode == .shared, case .wholeResponse? = directives.privateScope { try require(!isStorable, "What is private is shared.") }
            let decision = ReuseDecision(request: CacheControl(request: fields), stored: freshness, now: now.addingTimeInterval(1))
            if case .fresh = decision.verdict {
                try require(freshness.timeToLive(at: now.addingTimeInterval(1)) > 0, "What is stale is used as fresh.")
                if case .wholeResponse? = directives.noCache { throw FuzzFinding(description: "What must be validated is used as fresh.") }
            }
        }
    }

    /// A damaged line never hides the next one, and saying something twice changes nothing.
    static func checkDirectives(_ input: FuzzInput) throws {
        for fields in [input.fields, input.fields(named: .cacheControl)] {
            let directives = CacheControl(response: fields)
            for seconds in [directives.maxAge, directives.sharedMaxAge, directives.staleIfError, directives.staleWhileRevalidate] {
                try require((0...DeltaSeconds.maximum).contains(seconds ?? 0), "A directive has \(seconds ?? 0) seconds.")
            }
            var forbidding = fields
            forbidding.append(HTTPField(name: .cacheControl, value: "no-store, private, max-age=0"))
            let strict = CacheControl(response: forbidding)
            try require(strict.noStore && strict.privateScope == .wholeResponse && strict.maxAge == 0, "A line hides the next one.")
            var twice = fields
            for field in fields { twice.append(field) }
            let repeated = CacheControl(response: twice)
            try require(repeated.maxAge == directives.maxAge && repeated.noStore == directives.noStore, "Repetition changes directives.")
            try require((repeated.noCache == nil) == (directives.noCache == nil), "Repetition changes no-cache.")
            let inForce = CacheControl(inForceFor: fields, rules: rules)
            try require(inForce.isTargeted || inForce == directives, "Without a target field other directives are in force.")
            if let minFresh = CacheControl(request: fields).minFresh { try require(minFresh >= 0, "min-fresh is \(minFresh).") }
        }
        if let name = HTTPField.Name("CDN-Cache-Control") {
            let directives = CacheControl(inForceFor: input.fields(named: name), rules: rules)
            try require((0...DeltaSeconds.maximum).contains(directives.maxAge ?? 0), "A target's max-age is \(directives.maxAge ?? 0).")
        }
    }

    /// Members are in order, trimmed and not empty; between them are only commas and spaces.
    static func checkLists(_ input: FuzzInput) throws {
        for line in input.lines {
            for quoting in [ListMembers.Quoting.quotedString, .entityTag] {
                var end = line.startIndex
                for member in ListMembers(line, quoting: quoting) {
                    try require(!member.bytes.isEmpty && member.bytes.trimmed.count == member.bytes.count, "A member has spaces around it.")
                    try require(member.bytes.startIndex >= end, "Members overlap.")
                    try require(isSeparator(line[end..<member.bytes.startIndex]), "Bytes between members are lost.")
                    end = member.bytes.endIndex
                    try checkEntityTag(EntityTag(member.bytes))
                }
                try require(isSeparator(line[end...]), "Bytes behind the members are lost.")
            }
        }
        let tags = CacheTags.tags(in: input.fields(named: .cacheTag)).union(CacheTags.tags(in: input.fields))
        try require(tags.count <= 2 * CacheTags.maximumCount, "There are \(tags.count) tags.")
        for tag in tags { try require((1...CacheTags.maximumBytes).contains(tag.utf8.count), "A tag has \(tag.utf8.count) bytes.") }
        if let age = ResponseAge.fieldValue(in: input.fields(named: .age)) {
            try require((0...DeltaSeconds.maximum).contains(age), "The age is \(age).")
        }
    }

    private static func isSeparator(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == .comma || $0.isOptionalWhitespace }
    }

    private static func checkEntityTag(_ tag: EntityTag) throws {
        try require(tag.matchesWeakly(tag), "A tag does not match itself.")
        try require(tag.matchesStrongly(tag) == !tag.isWeak, "A weak tag matches strongly.")
        let weak = EntityTag(Array("W/".utf8) + tag.opaqueTag)
        if tag.opaqueTag.first == .doubleQuote, tag.opaqueTag.count > 1, weak.isWeak, weak.opaqueTag == tag.opaqueTag {
            try require(weak.matchesWeakly(tag) && !weak.matchesStrongly(tag), "Weakness is not heeded.")
        }
    }

    /// Two requests select one variant only if their selecting fields say the same; queries that are one stay one.
    static func checkSelection(_ input: FuzzInput) throws {
        if case .fields(let names) = Vary(input.fields(named: .vary)) {
            try require(zip(names, names.dropFirst()).allSatisfy { $0.canonicalName < $1.canonicalName }, "Names are not in order.")
            let text = Vary(names).variantKey(for: input.fields)?.text ?? ""
            try require(text.utf8.allSatisfy { $0 < 0x7F }, "A key is not ASCII.")
            try require(text.utf8.count { $0 == UInt8(ascii: "\n") } == names.count, "A key has other lines than names.")
        }
        let lines = input.lines
        if lines.count > 1, let name = HTTPField.Name("X-Selecting") {
            let values = lines.prefix(2).map { HTTPField(name: name, lenientValue: $0) }
            let keys = values.map { Vary([name]).variantKey(for: HTTPFields($0)) }
            let isSame = values[0].valueBytes.trimmed.elementsEqual(values[1].valueBytes.trimmed)
            try require((keys[0] == keys[1]) == isSame, "Different values select one variant, or one value selects two.")
        }
        for fields in [input.fields, input.fields(named: .noVarySearch)] {
            guard let rule = NoVarySearch(fields) else { continue }
            try require(NoVarySearch(text: rule.text) == rule, "\(rule.text) says something else.")
            try require(rule.text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }, "The text of a rule is not printable.")
            for line in lines {
                let query = rule.canonicalQuery(String(decoding: line, as: UTF8.self))
                try require(rule.canonicalQuery(query) == query, "\(query ?? "") is not canonical.")
            }
        }
    }

    /// In every report, the field is printable and its quotes are closed.
    static func checkStatus(_ input: FuzzInput) throws {
        let texts = input.lines.prefix(3).map { String(decoding: $0, as: UTF8.self) }
        let status = CacheStatus(
            cacheName: texts.first ?? "",
            .forwarded(.init(.stale, status: input.rest.count)),
            timeToLive: Double(input.rest.count) * 1e15,
            key: texts.last,
            detail: texts.dropFirst().first
        )
        var isQuoted = false
        var isEscaped = false
        for byte in status.fieldValue.utf8 {
            try require((0x20..<0x7F).contains(byte), "The status has the byte \(byte).")
            if isEscaped {
                isEscaped = false
            } else if byte == .doubleQuote {
                isQuoted.toggle()
            } else if byte == .backslash {
                try require(isQuoted, "A backslash stands outside of quotes.")
                isEscaped = true
            }
        }
        try require(!isQuoted && !isEscaped, "The status does not end.")
    }
}
