// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Hoard
import Testing

@testable import HoardImages

@Suite struct ImageProcessorTests {
    private static let different: [ImageProcessor] = [
        .fitted(width: 10, height: 20), .fitted(width: 20, height: 10), .filled(width: 10, height: 20), .filled(width: 10, height: 21),
        .cropped(x: 0, y: 0, width: 10, height: 20), .cropped(x: 0, y: 1, width: 10, height: 20), .cropped(x: 1, y: 0, width: 10, height: 20),
        .rounded(radius: 10), .rounded(radius: 11), .circle, .tinted(red: 1, green: 2, blue: 3), .tinted(red: 1, green: 2, blue: 3, alpha: 254),
        .tinted(red: 2, green: 2, blue: 3), .custom(name: "a", version: 1) { $0 }, .custom(name: "a", version: 2) { $0 },
        .custom(name: "b", version: 1) { $0 }, .custom(name: "é", version: 1) { $0 }, .custom(name: "e\u{301}", version: 1) { $0 },
    ]

    @Test func processorsThatDoSomethingElseAreDifferent() {
        #expect(Set(Self.different).count == Self.different.count)
        #expect(Set(Self.different.map(\.description)).count == Self.different.count - 1, "Texts that look alike may be equal as strings.")
    }

    @Test func processorsThatDoTheSameAreEqual() {
        let pairs: [(ImageProcessor, ImageProcessor)] = [
            (.fitted(width: 0, height: -4), .fitted(width: 1, height: 1)), (.filled(width: .min, height: 5), .filled(width: 1, height: 5)),
            (.rounded(radius: -3), .rounded(radius: 0)), (.tinted(red: 1, green: 2, blue: 3), .tinted(.init(red: 1, green: 2, blue: 3))),
            (.circle, .circle),
        ]
        for (left, right) in pairs {
            #expect(left == right)
            #expect(left.hashValue == right.hashValue)
        }
    }

    @Test func customProcessorsAreEqualByNameAndVersionAlone() {
        let keeping = ImageProcessor.custom(name: "a", version: 1) { $0 }
        let failing = ImageProcessor.custom(name: "a", version: 1) { _ in throw ImageError.damaged }
        #expect(keeping == failing)
        #expect(keeping.hashValue == failing.hashValue)
        #expect(keeping != .custom(name: "a", version: 2) { $0 })
        #expect(keeping != .custom(name: "A", version: 1) { $0 })
    }

    @Test func descriptionsNameTheParameters() {
        #expect(ImageProcessor.fitted(width: 10, height: 20).description == "fitted(width: 10, height: 20)")
        #expect(ImageProcessor.filled(width: 10, height: 20).description == "filled(width: 10, height: 20)")
        #expect(ImageProcessor.cropped(x: -1, y: 2, width: 3, height: 4).description == "cropped(x: -1, y: 2, width: 3, height: 4)")
        #expect(ImageProcessor.rounded(radius: 8).description == "rounded(radius: 8)")
        #expect(ImageProcessor.circle.description == "circle")
        #expect(ImageProcessor.tinted(red: 1, green: 2, blue: 3, alpha: 4).description == "tinted(red: 1, green: 2, blue: 3, alpha: 4)")
        #expect(ImageProcessor.custom(name: "grey", version: 2) { $0 }.description == "custom(name: \"grey\", version: 2)")
    }

    private func key(_ processors: [ImageProcessor], maximumPixelSize: Int? = nil) -> DecodedKey {
        let options = ImageOptions(maximumPixelSize: maximumPixelSize, processors: processors)
        return ImageRequest(.url(ExactText("https://example.com/a")), options, partition: ExactText("")).decodedKey
    }

    @Test func processorsAndTheirOrderArePartOfTheKey() {
        let keys: Set = [
            key([]), key([.circle]), key([.rounded(radius: 4)]), key([.circle, .rounded(radius: 4)]), key([.rounded(radius: 4), .circle]),
            key([.circle, .circle]), key([.circle], maximumPixelSize: 9),
        ]
        #expect(keys.count == 7)
        let keeping = ImageProcessor.custom(name: "a", version: 1) { $0 }
        let failing = ImageProcessor.custom(name: "a", version: 1) { _ in throw ImageError.damaged }
        #expect(key([.circle, keeping]) == key([.circle, failing]))
    }

    @Test func aKeyWithProcessorsTakesUpMore() {
        let plain = key([]).byteCount
        let one = key([.circle]).byteCount
        #expect(one >= plain + MemoryLayout<ImageProcessor>.size)
        #expect(key([.circle, .circle]).byteCount - one == one - plain)
        let named = key([.custom(name: String(repeating: "é", count: 500), version: 1) { $0 }]).byteCount
        #expect(named == one + 1_000)
    }

    @Test func theTagsOfAKeyDoNotDependOnItsProcessors() {
        #expect(key([.circle]).tags == key([]).tags)
    }
}
