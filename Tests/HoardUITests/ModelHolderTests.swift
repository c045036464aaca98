// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardUI

@MainActor @Suite struct ModelHolderTests {
    private final class Model {}

    @Test func aModelStaysAsLongAsItIsAboutTheSame() {
        let holder = ModelHolder<Int, Model>()
        let first = holder.model(for: 1) { Model() }
        #expect(holder.model(for: 1) { Model() } === first)
        let second = holder.model(for: 2) { Model() }
        #expect(second !== first)
        #expect(holder.model(for: 2) { Model() } === second)
        #expect(holder.model(for: 1) { Model() } !== first, "The one before is not kept.")
    }
}
