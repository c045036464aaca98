// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import HoardTestSupport
import Testing

@Suite struct SnapshotErrorTests {
    private let codes: [SnapshotError.Code] = [.notFound, .notAFile, .foreign, .newerFormat, .corrupt, .wrongSchema, .tooLarge, .io]

    @Test func codesDiffer() {
        #expect(Set(codes).count == codes.count)
        #expect(Set(codes.map(\.description)).count == codes.count)
    }

    @Test func descriptionIsTheMessage() {
        let error = SnapshotError(.io, "Could not open the door: it is locked.", underlyingError: TestError(number: 3))
        #expect("\(error)" == "Could not open the door: it is locked.")
        #expect(error.underlyingError as? TestError == TestError(number: 3))
        #expect(SnapshotError(.corrupt, "").underlyingError == nil)
    }
}
