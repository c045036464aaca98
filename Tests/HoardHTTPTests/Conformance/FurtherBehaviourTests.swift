// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Behaviour tests of Hoard's own, in the form of the public ones, for rules of the
/// specifications that those do not test.
///
/// Where a specification leaves a choice, a test expects the choice of `docs/decisions.md`.
enum FurtherBehaviourTests {
    static let all = [freshness, directives, selection, validation, partial]
}
