// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardTesting
import Hummingbird
import NIOCore
import Testing

@testable import HoardHummingbird

@Suite(.timeLimit(.minutes(1)))
struct HandlerDeskTests {
    private func request(_ path: String) -> Request {
        Request(head: HTTPRequest(method: .get, scheme: "http", authority: "a", path: path), body: RequestBody(buffer: ByteBuffer()))
    }

    private func answer(_ text: String) -> HandlerOutcome { .answer(.init(response: .text(text))) }

    @Test
    func jobsAreTakenInOrderAndGetTheirOutcomes() async {
        let desk = HandlerDesk()
        async let worker: Void = {
            while let job = await desk.next() { job.finish(self.answer(job.request.uri.path)) }
        }()
        for path in ["/a", "/b", "/c"] {
            guard case .answer(let answer) = await desk.run(request(path)) else {
                Issue.record("There was no answer.")
                return
            }
            #expect(answer.response.headers[.contentLength] == "2")
        }
        desk.close()
        await worker
    }

    @Test
    func closedDeskRunsNothing() async {
        let desk = HandlerDesk()
        desk.close()
        desk.close()
        guard case .cancelled = await desk.run(request("/")) else {
            Issue.record("The request was handled.")
            return
        }
        let hasJob = await desk.next() != nil
        #expect(!hasJob)
    }

    @Test
    func jobsThatNobodyHasTakenAreCancelledAndTakenOnesAreNot() async {
        let desk = HandlerDesk()
        let request = request("/")
        async let first = desk.run(request)
        let taken = await desk.next()
        async let second = desk.run(request)
        desk.close()
        guard case .cancelled = await second else {
            Issue.record("The second request was handled.")
            return
        }
        taken?.finish(answer("late"))
        guard case .answer = await first else {
            Issue.record("The first request was not handled.")
            return
        }
    }
}
