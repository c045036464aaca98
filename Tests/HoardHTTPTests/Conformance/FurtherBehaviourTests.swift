// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Behaviour tests of Hoard's own, in the form of the public ones: what the specifications say beyond what those ask.
///
/// Where a specification leaves a choice, a test expects what `docs/decisions.md` says.
enum FurtherBehaviourTests {
    static let all = [freshness, directives, selection, validation, partial]
}
