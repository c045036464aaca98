// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardCodings
import NIOCore
import Synchronization
import Testing

@testable import HoardHTTP

@Suite(.timeLimit(.minutes(5))) struct FormMakerTests {
    private static let content = ByteBuffer(string: CodedPage.text(count: 200_000))

    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private func job(_ own: ContentCoding? = nil, _ target: ContentCoding?, path: String = "/a") -> FormMaker.Job {
        FormMaker.Job(key: HTTPCacheKey(scope: "http-shared", targetURI: "http://example.com\(path)"), own: own, target: FormKind(target))
    }

    @Test func contentIsCodedOnceForAllWhoAskAtATime() async {
        let maker = FormMaker(maximumBytes: 1 << 20)
        let made = Count()
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let form = await maker.form(of: Self.content, job(.none, .gzip)) { _ in made.value.wrappingAdd(1, ordering: .relaxed) }
                    return if case .coded(let coded) = form { coded.readableBytes } else { 0 }
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(count.count == 1 && !count.contains(0))
        // Callers that come when it is done have it made anew, unless it has been kept.
        #expect((1..<100).contains(made.value.load(ordering: .relaxed)))
    }

    @Test func otherContentOfTheSameKeyIsNotMistakenForIt() async throws {
        let maker = FormMaker(maximumBytes: 1 << 20)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let content = ByteBuffer(string: CodedPage.text(number % 3, count: 50_000))
                    guard case .coded(let coded) = await maker.form(of: content, job(nil, .gzip), keep: { _ in }) else {
                        Issue.record("It was not coded.")
                        return
                    }
                    let decoded = try CodedPage.decoded(coded, .gzip)
                    #expect(decoded == content)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func whatGrowsBeyondTheLimitIsRefused() async throws {
        let bomb = try CodedPage.coded(ByteBuffer(repeating: 0, count: 2 << 20), .gzip)
        let maker = FormMaker(maximumBytes: 1 << 20)
        guard case .tooLong = await maker.form(of: bomb, job(.gzip, nil), keep: { _ in }) else {
            Issue.record("It was decoded.")
            return
        }
    }
}
