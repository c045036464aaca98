// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import RawStructuredFieldValues

extension CacheControl {
    /// The directives in force for a response in a cache of these rules.
    ///
    /// The first field of ``HTTPCacheRules/targets`` that is present, valid and not empty decides alone, whatever it says; `Cache-Control` and
    /// `Expires` are then as if absent. Otherwise `Cache-Control` decides: [RFC 9213 §2.2](https://www.rfc-editor.org/rfc/rfc9213#section-2.2).
    /// The directives that the owner's policy has added to the response come before both: see ``PolicyField``. Complexity: O(*n*) in the number of bytes.
    package init(inForceFor responseFields: HTTPFields, rules: HTTPCacheRules) {
        if let policy = PolicyField(responseFields) {
            self.init(policy, ownDirectives: CacheControl(ownOf: responseFields, rules: rules))
        } else {
            self.init(ownOf: responseFields, rules: rules)
        }
    }

    private init(ownOf responseFields: HTTPFields, rules: HTTPCacheRules) {
        for target in rules.targets {
            guard let members = responseFields.structuredDictionary(of: target) else { continue }
            self.init(targeted: members)
            return
        }
        self.init(response: responseFields)
    }

    /// The directives of a targeted field.
    ///
    /// The syntax is that of structured fields and stricter than that of `Cache-Control`: one mistake in it, and the field counts for nothing.
    /// Parameters are ignored. A directive with a value of the wrong type is read as a malformed one in `Cache-Control`: it forbids all it could
    /// forbid, and permits nothing. `?0` says that the directive is absent. [RFC 9213 §2.1](https://www.rfc-editor.org/rfc/rfc9213#section-2.1)
    private init(targeted members: StructuredDictionary) {
        self.init()
        isTargeted = true
        for (key, value) in members {
            guard let directive = CacheDirective(rawValue: key), let argument = DirectiveArgument(value) else { continue }
            add(directive, directive.isBarePermission && argument != .absent ? .malformed : argument)
        }
    }
}

extension DirectiveArgument {
    /// - Returns: `nil` if the value says that there is no such directive.
    fileprivate init?(_ value: ItemOrInnerList) {
        switch value.bareItem {
        case .bool(true):
            self = .absent
        case .bool(false):
            return nil
        case .integer(let number):
            self = number < 0 ? .malformed : .seconds(Swift.min(number, DeltaSeconds.maximum))
        case .string(let text), .token(let text):
            self = .text(Array(text.utf8))
        default:
            self = .malformed
        }
    }
}
