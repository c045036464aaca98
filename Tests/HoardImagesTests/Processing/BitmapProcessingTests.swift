// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import HoardImages

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct BitmapProcessingTests {
    private struct Refusal: Error, Equatable {
        let number: Int
    }

    /// A picture of which every pixel is different, and that keeps an original.
    private func bitmap(_ width: Int = 6, _ height: Int = 4) -> Bitmap {
        let bytes: [UInt8] = (0..<width * height).flatMap { index -> [UInt8] in [UInt8(truncatingIfNeeded: index), 7, 8, 255] }
        return Bitmap(DecodedPixels(width: width, height: height, bytes: bytes), original: Data([1, 2, 3]))
    }

    private static let inverted = ImageProcessor.custom(name: "inverted", version: 1) { bitmap in
        let pixels = bitmap.pixels.enumerated().map { index, byte in index % 4 == 3 ? byte : 255 - byte }
        return try #require(Bitmap(width: bitmap.width, height: bitmap.height, pixels: pixels))
    }

    private static let all: [ImageProcessor] = [
        .fitted(width: 2, height: 2), .filled(width: 2, height: 3), .cropped(x: 0, y: 0, width: 2, height: 2), .rounded(radius: 2), .circle,
        .tinted(red: 1, green: 2, blue: 3), inverted,
    ]

    @Test func processorsRunInTheirOrder() throws {
        let cropFirst = try bitmap().applying([.cropped(x: 3, y: 0, width: 3, height: 4), .fitted(width: 3, height: 2)])
        let fitFirst = try bitmap().applying([.fitted(width: 3, height: 2), .cropped(x: 2, y: 0, width: 3, height: 4)])
        #expect((cropFirst.width, cropFirst.height) == (2, 2))
        #expect((fitFirst.width, fitFirst.height) == (1, 2))
    }

    @Test(arguments: all) func aChangedBitmapHasNoOriginal(processor: ImageProcessor) throws {
        let changed = try bitmap().applying([processor])
        #expect(changed.pixels != bitmap().pixels)
        #expect(changed.original == nil)
    }

    @Test func aBitmapThatIsChangedThereAndBackHasNoOriginal() throws {
        let changed = try bitmap().applying([Self.inverted, Self.inverted])
        #expect(changed.pixels == bitmap().pixels)
        #expect(changed.original == nil)
    }

    @Test func withoutAChangeTheOriginalStays() throws {
        let same: [ImageProcessor] = [
            .fitted(width: 6, height: 100), .filled(width: 6, height: 4), .cropped(x: 0, y: 0, width: 6, height: 4), .rounded(radius: 0),
            .tinted(red: 1, green: 2, blue: 3, alpha: 0),
            .custom(name: "same", version: 1) { bitmap in
                try #require(Bitmap(width: bitmap.width, height: bitmap.height, pixels: bitmap.pixels))
            },
        ]
        #expect(try bitmap().applying(same) == bitmap())
        #expect(try bitmap().applying([]) == bitmap())
    }

    @Test func anOriginalThatAClosureReturnsIsNotKept() throws {
        let other = bitmap(2, 2)
        let changed = try bitmap().applying([.custom(name: "other", version: 1) { _ in other }])
        #expect(changed.pixels == other.pixels)
        #expect(changed.original == nil)
    }

    @Test(arguments: all, [(1, 1), (1, 9), (9, 1)]) func thinPicturesKeepAPixelAtLeast(processor: ImageProcessor, size: (Int, Int)) throws {
        let changed = try bitmap(size.0, size.1).applying([processor])
        #expect((1...size.0).contains(changed.width))
        #expect((1...size.1).contains(changed.height))
        #expect(changed.pixels.count == changed.width * changed.height * 4)
        #expect(changed[0, 0].alpha > 0)
    }

    @Test func anErrorOfAClosureIsTheUnderlyingError() throws {
        let failing = ImageProcessor.custom(name: "refusing", version: 3) { _ in throw Refusal(number: 5) }
        let error = #expect(throws: ImageError.self) { try bitmap().applying([.circle, failing]) }
        #expect(error?.code == .failed)
        #expect(error?.message == "The image processor \"refusing\" failed; the underlying error says why.")
        #expect(error?.underlyingError as? Refusal == Refusal(number: 5))
    }

    @Test func anImageErrorOfAClosureIsTheUnderlyingErrorToo() throws {
        let failing = ImageProcessor.custom(name: "decoding", version: 1) { _ in throw ImageError.damaged }
        let error = #expect(throws: ImageError.self) { try bitmap().applying([failing]) }
        #expect(error?.code == .failed)
        #expect((error?.underlyingError as? ImageError)?.code == .damaged)
    }

    @Test func aCancellationOfAClosureIsACancellation() throws {
        for cancellation in [CancellationError(), ImageError.cancelled] as [any Error] {
            let failing = ImageProcessor.custom(name: "cancelled", version: 1) { _ in throw cancellation }
            let error = #expect(throws: ImageError.self) { try bitmap().applying([failing]) }
            #expect(error?.code == .cancelled)
        }
    }

    @Test func aCancelledTaskRunsNoFurtherProcessor() async throws {
        let names = Mutex<[String]>([])
        func noting(_ name: String, cancels: Bool) -> ImageProcessor {
            .custom(name: name, version: 1) { bitmap in
                names.withLock { $0.append(name) }
                if cancels { withUnsafeCurrentTask { $0?.cancel() } }
                return bitmap
            }
        }
        let processors = [noting("first", cancels: false), noting("second", cancels: true), noting("third", cancels: false)]
        let code = await withTaskGroup(of: ImageError.Code?.self) { group in
            group.addTask { [bitmap = bitmap()] in
                do throws(ImageError) {
                    _ = try bitmap.applying(processors)
                    return nil
                } catch {
                    return error.code
                }
            }
            return await group.next() ?? nil
        }
        #expect(code == .cancelled)
        #expect(names.withLock { $0 } == ["first", "second"])
    }

    /// The example of `ImageProcessor.custom(name:version:_:)`.
    @Test func theExampleOfACustomProcessorMakesAPictureGrey() throws {
        let grey = ImageProcessor.custom(name: "grey", version: 1) { bitmap in
            var pixels = bitmap.pixels
            for index in stride(from: 0, to: pixels.count, by: 4) {
                let sum = Int(pixels[index]) + Int(pixels[index + 1]) + Int(pixels[index + 2])
                for channel in 0..<3 { pixels[index + channel] = UInt8(sum / 3) }
            }
            return Bitmap(width: bitmap.width, height: bitmap.height, pixels: pixels) ?? bitmap
        }
        let changed = try bitmap().applying([grey])
        #expect(changed[3, 0] == Bitmap.Pixel(red: 6, green: 6, blue: 6))
    }
}
