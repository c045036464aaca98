// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages

/// Names of common response fields that no rule of a cache reads: a response can be judged without them.
package enum UnjudgedFields {
    /// Whether a name, in capitals or small letters, is one of them.
    package static func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        func isOne(_ candidates: StaticString...) -> Bool {
            candidates.contains { candidate in
                zip(name, UnsafeRawBufferPointer(start: candidate.utf8Start, count: candidate.utf8CodeUnitCount)).allSatisfy { $0.lowercased == $1 }
            }
        }
        return switch name.count {
        case 3: isOne("via")
        case 6: isOne("server")
        case 7: isOne("alt-svc")
        case 12: isOne("content-type", "x-request-id", "x-powered-by")
        case 13: isOne("accept-ranges")
        case 15: isOne("x-frame-options", "referrer-policy")
        case 16: isOne("content-encoding", "content-language", "x-xss-protection")
        case 18: isOne("permissions-policy")
        case 22: isOne("x-content-type-options")
        case 23: isOne("content-security-policy")
        case 25: isOne("strict-transport-security")
        default: false
        }
    }
}
