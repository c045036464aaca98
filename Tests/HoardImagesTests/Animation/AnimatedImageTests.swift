// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && GIF && os(Linux)
    import Foundation
    import HoardTesting
    import Testing

    @testable import HoardImages

    @Suite struct AnimatedImageTests {
        /// Frames of one colour each: the first has number 0.
        static func animation(_ count: Int, side: Int = 4, delay: Int = 5, repeats: Int? = 0) -> Data {
            encodedGIF(
                width: side,
                height: side,
                palette: (0..<256).flatMap { [UInt8($0), 0, 0] },
                repeats: repeats,
                frames: (0..<count).map { .init(width: side, height: side, delay: delay, indices: .init(repeating: UInt8($0), count: side * side)) }
            )
        }

        private static func number(_ frame: AnimationFrame?) -> Int? { frame.map { Int($0.bitmap[0, 0].red) } }

        @Test(arguments: [nil, 0, 3 * 64] as [Int?]) func everyOrderOfFramesGivesTheRightOnes(limit: Int?) throws {
            let seed = UInt64.random(in: .min ... .max)
            var generator = SeededGenerator(seed: seed)
            var limits = ImageLimits()
            if let limit { limits.maximumAnimationBytes = limit }
            let image = try AnimatedImage(decoding: Self.animation(7), limits: limits)
            #expect(image.keepsFrames == (limit == nil))
            for _ in 0..<200 {
                let index = Int.random(in: 0..<7, using: &generator)
                #expect(Self.number(try image.frame(at: index)) == index, "seed \(seed)")
            }
        }

        @Test func theBytesThatAreKeptAreCounted() throws {
            let data = Self.animation(7)
            let kept = try AnimatedImage(decoding: data)
            var limits = ImageLimits()
            limits.maximumAnimationBytes = 7 * 64 - 1
            let image = try AnimatedImage(decoding: data, limits: limits)
            #expect(kept.keepsFrames && !image.keepsFrames)
            #expect(kept.byteCount - image.byteCount == 5 * 64)
            let still = Picture.gradient(8, 6).png()
            #expect(try AnimatedImage(decoding: still).byteCount == still.count + 8 * 6 * 4)
        }

        /// The decoder puts frames together in full size, however small they are shown.
        @Test func theDecodersCanvasIsCounted() throws {
            let image = try AnimatedImage(decoding: Self.animation(2, side: 600), maximumPixelSize: 6)
            #expect(image.byteCount > 600 * 600 * 4)
        }

        /// The first frame is the smallest.
        @Test func processorsThatMakeLargerFramesDoNotPassTheLimit() throws {
            let growing = ImageProcessor.custom(name: "growing", version: 1) { bitmap in
                let side = 1 + Int(bitmap[0, 0].red)
                return Bitmap(width: side, height: side, pixels: .init(repeating: bitmap[0, 0].red, count: side * side * 4)) ?? bitmap
            }
            let image = try AnimatedImage(decoding: Self.animation(9), processors: [growing])
            for _ in 0..<2 {
                for index in 0..<9 { #expect(try image.frame(at: index).bitmap.width == index + 1) }
            }
        }

        @Test func aPictureThatDoesNotMoveHasOneFrame() throws {
            let picture = Picture.gradient(8, 6)
            let image = try AnimatedImage(decoding: picture.png())
            #expect(image.frameCount == 1 && image.playCount == 1)
            #expect(Picture(try image.frame(at: 0).bitmap) == picture)
            #expect((image.width, image.height) == (8, 6))
        }

        @Test func processorsAreAppliedToEachFrame() throws {
            let image = try AnimatedImage(decoding: Self.animation(5), processors: [.cropped(x: 0, y: 0, width: 2, height: 3)])
            #expect((image.width, image.height) == (2, 3))
            for index in 0..<5 {
                let frame = try image.frame(at: index)
                #expect((frame.bitmap.width, frame.bitmap.height) == (2, 3))
                #expect(Self.number(frame) == index)
            }
        }

        @Test func aFrameThatIsDamagedIsAnErrorAndTheOthersStay() throws {
            var data = Self.animation(6, side: 24)
            // A code that is not in the table yet, in the middle of the last frame but one.
            let starts = data.indices.filter { data[$0] == 0x2C && $0 > 780 && data[data.index($0, offsetBy: 5)] == 24 }
            let place = starts[4] + 14
            data.replaceSubrange(place..<place + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
            var limits = ImageLimits()
            for limit in [1 << 20, 0] {
                limits.maximumAnimationBytes = limit
                let image = try AnimatedImage(decoding: data, limits: limits)
                #expect(Self.number(try image.frame(at: 3)) == 3)
                #expect(#expect(throws: ImageError.self) { try image.frame(at: 4) }?.code == .damaged)
                #expect(#expect(throws: ImageError.self) { try image.frame(at: 5) }?.code == .damaged)
                #expect(Self.number(try image.frame(at: 2)) == 2)
            }
        }

        @Test func manyReadersAtOnceGetTheRightFrames() async throws {
            var limits = ImageLimits()
            for limit in [1 << 20, 0] {
                limits.maximumAnimationBytes = limit
                let image = try AnimatedImage(decoding: Self.animation(20), limits: limits)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for reader in 0..<8 {
                        group.addTask {
                            for step in 0..<40 {
                                let index = (step * (reader + 1)) % 20
                                let frame = try image.frame(at: index)
                                #expect(Self.number(frame) == index)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }

        // MARK: Playback

        /// Plays an image in a task, and notes the numbers of its frames.
        private func play(_ image: AnimatedImage, _ ticker: ManualTicker, into shown: Shared<[Int]>) -> Task<Void, any Error> {
            Task {
                for try await frame in image.playback(ticker: ticker) { shown.update { $0.append(Self.number(frame) ?? -1) } }
            }
        }

        @Test func framesComeWhenTheOneBeforeHasBeenShown() async throws {
            let (ticker, shown) = (ManualTicker(), Shared<[Int]>([]))
            // Two rounds of three frames.
            let task = play(try AnimatedImage(decoding: Self.animation(3, repeats: 1)), ticker, into: shown)
            for count in 1...5 {
                await ticker.sleepers(1)
                ticker.advance(by: .milliseconds(49))
                #expect(ticker.sleeperCount == 1)
                #expect(shown.value.count == count)
                ticker.advance(by: .milliseconds(1))
            }
            try await task.value
            #expect(shown.value == [0, 1, 2, 0, 1, 2])
            #expect(ticker.sleeperCount == 0)
        }

        /// The second player is always behind the first.
        @Test func playersOfFramesThatAreNotKeptGoOnEachOnItsOwn() async throws {
            let ticker = ManualTicker()
            var limits = ImageLimits()
            limits.maximumAnimationBytes = 0
            let image = try AnimatedImage(decoding: Self.animation(10, repeats: nil), limits: limits)
            var first = image.playback(ticker: ticker).makeAsyncIterator()
            var second = image.playback(ticker: ticker).makeAsyncIterator()
            #expect(Self.number(try await first.next()) == 0)
            for index in 0..<10 {
                ticker.advance(by: .seconds(1))
                #expect(Self.number(try await first.next()) == (index < 9 ? index + 1 : nil))
                #expect(Self.number(try await second.next()) == index)
            }
            #expect(first.cursor.decodedCount == 10 && second.cursor.decodedCount == 10)
        }

        @Test func aSlowReaderGetsEveryFrameForItsTime() async throws {
            let ticker = ManualTicker()
            let image = try AnimatedImage(decoding: Self.animation(4))
            let gate = Gate()
            let shown = Shared<[Int]>([])
            let task = Task {
                for try await frame in image.playback(ticker: ticker) {
                    shown.update { $0.append(Self.number(frame) ?? -1) }
                    await gate.pass()
                }
            }
            while shown.value.isEmpty { await Task.yield() }
            ticker.advance(by: .seconds(10))
            gate.open()
            await ticker.sleepers(1)
            // The second came at once, and the third has to wait for it.
            #expect(shown.value == [0, 1])
            ticker.advance(by: .milliseconds(50))
            await ticker.sleepers(1)
            #expect(shown.value == [0, 1, 2])
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }

        @Test func aPictureThatDoesNotMoveIsShownOnce() async throws {
            var count = 0
            for try await frame in try AnimatedImage(decoding: Picture.gradient(3, 3).png()).playback(ticker: ManualTicker()) {
                #expect(frame.bitmap.width == 3)
                count += 1
            }
            #expect(count == 1)
        }

        @Test func aReaderThatIsCancelledWhileAFrameIsDecodedEndsInTheSameWay() async throws {
            let image = try AnimatedImage(decoding: Self.animation(3))
            let gate = Gate()
            let task = Task {
                await gate.pass()
                var frames = image.playback(ticker: ManualTicker()).makeAsyncIterator()
                _ = try await frames.next()
            }
            task.cancel()
            gate.open()
            await #expect(throws: CancellationError.self) { try await task.value }
            let later = Task {
                await gate.pass()
                // The first frame is at hand; this one has to be decoded.
                return #expect(throws: ImageError.self) { try image.frame(at: 1) }?.code
            }
            later.cancel()
            #expect(await later.value == .cancelled)
            #expect(Self.number(try image.frame(at: 1)) == 1)
        }

        @Test func aReaderThatIsCancelledLeavesNothingBehind() async throws {
            let ticker = ManualTicker()
            let image = try AnimatedImage(decoding: Self.animation(3))
            let task = Task {
                for try await _ in image.playback(ticker: ticker) {}
            }
            await ticker.sleepers(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ticker.sleeperCount == 0)
        }
    }
#endif
