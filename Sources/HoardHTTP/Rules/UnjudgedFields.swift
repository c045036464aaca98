// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HoardMessages

/// Names of common response fields that no rule of a cache reads: a response can be judged without them.
package enum UnjudgedFields {
    /// Whether a name, in capitals or small letters, is one of them.
    package static func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        func isName(_ candidate: StaticString) -> Bool {
            zip(name, UnsafeRawBufferPointer(start: candidate.utf8Start, count: candidate.utf8CodeUnitCount)).allSatisfy { $0.lowercased == $1 }
        }
        return switch name.count {
        case 3: isName("via")
        case 6: isName("server")
        case 7: isName("alt-svc")
        case 12: isName("content-type") || isName("x-request-id") || isName("x-powered-by")
        case 13: isName("accept-ranges")
        case 15: isName("x-frame-options") || isName("referrer-policy")
        case 16: isName("content-encoding") || isName("content-language") || isName("x-xss-protection")
        case 18: isName("permissions-policy")
        case 22: isName("x-content-type-options")
        case 23: isName("content-security-policy")
        case 25: isName("strict-transport-security")
        default: false
        }
    }
}
