// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if Images && GIF && os(Linux)
    import Hoard
    import HoardTesting
    import Testing

    @testable import HoardImages
    @testable import HoardUI

    @MainActor @Suite(.timeLimit(.minutes(1))) struct ObservedAnimationTests {
        private let server = PictureServer()

        init() {
            server.moving.update { $0 = [10] }
            server.wire.open()
        }

        private func until(_ condition: () -> Bool) async {
            while !condition(), !Task.isCancelled { await Task.yield() }
        }

        private func model(playsAnimations: Bool = true, number: Int = 10) -> ObservedImage {
            ObservedImage(server.images, url: PictureServer.url(number), playsAnimations: playsAnimations)
        }

        /// Moves the clock on when the model waits for it.
        private func pass(_ milliseconds: Int64) async {
            await server.time.sleepers(1)
            server.time.advance(by: .milliseconds(milliseconds))
        }

        @Test func framesAreShownAtTheirTimesAndTheLastOneStays() async {
            let model = model()
            model.start()
            await until { model.image?.number == 10 }
            await pass(49)
            for _ in 0..<20 { await Task.yield() }
            #expect(model.image?.number == 10)
            await pass(1)
            await until { model.image?.number == 11 }
            await pass(50)
            await until { model.image?.number == 12 }
            for _ in 0..<20 { await Task.yield() }
            #expect(model.image?.number == 12 && !model.isLoading && model.error == nil)
            #expect(server.requestCount == 1)
        }

        @Test func leavingStopsTheFramesAndComingBackBeginsAnew() async {
            let model = model()
            model.start()
            await until { model.image?.number == 10 }
            await pass(50)
            await until { model.image?.number == 11 }
            model.stop()
            #expect(model.image == nil)
            server.time.advance(by: .milliseconds(500))
            for _ in 0..<20 { await Task.yield() }
            #expect(model.image == nil)
            model.start()
            #expect(model.image?.number == 10, "the frames are in memory")
            await pass(50)
            await until { model.image?.number == 11 }
            #expect(server.requestCount == 1)
        }

        @Test func anotherURLEndsTheFramesOfTheOneBefore() async {
            let model = model()
            model.start()
            await until { model.image?.number == 10 }
            await server.time.sleepers(1)
            model.url = PictureServer.url(7)
            await until { model.image?.number == 7 }
            server.time.advance(by: .milliseconds(500))
            for _ in 0..<20 { await Task.yield() }
            #expect(model.image?.number == 7)
        }

        @Test func framesGoOnWhenALargerImageCannotBeHad() async {
            let model = ObservedImage(server.images, url: PictureServer.url(10), sizing: .fit, playsAnimations: true)
            model.layOut(width: 1, height: 1, scale: 1)
            model.start()
            await until { model.image?.number == 10 }
            await server.time.sleepers(1)
            await server.images.removeImage(for: PictureServer.url(10))
            server.broken.update { $0 = [10] }
            model.layOut(width: 100, height: 100, scale: 1)
            await until { model.error != nil }
            server.time.advance(by: .milliseconds(50))
            await until { model.image?.number == 11 }
            #expect(model.image?.number == 11 && model.error != nil)
        }

        @Test func aStillImageIsShownAsEver() async {
            let model = model(number: 3)
            model.start()
            await until { model.image?.number == 3 }
            #expect(!model.isLoading && model.error == nil)
        }

        @Test func framesAreNotPlayedUnlessThatIsAskedFor() async {
            let model = model(playsAnimations: false)
            model.start()
            await until { model.image?.number == 10 }
            server.time.advance(by: .milliseconds(500))
            for _ in 0..<20 { await Task.yield() }
            #expect(model.image?.number == 10)
        }

        @Test func eachFrameIsToldToViewsThatDoNotObserve() async {
            let model = model()
            var numbers: [Int?] = []
            model.onChange = { numbers.append(model.image?.number) }
            model.start()
            await until { model.image?.number == 10 }
            await pass(50)
            await until { model.image?.number == 11 }
            await pass(50)
            await until { numbers.last == 12 }
            #expect(numbers.contains(10) && numbers.contains(11))
            model.onChange = nil
        }
    }
#endif
