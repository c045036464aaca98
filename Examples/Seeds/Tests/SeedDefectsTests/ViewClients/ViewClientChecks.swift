// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardTesting
import HoardViews

/// The mistakes that a client of screens may make. Each check returns the one that it found.
enum ViewClientChecks {
    /// A server whose screens have the number of the request as their text, and are fresh for a minute.
    private static func server(_ fields: HTTPFields = [.cacheControl: "max-age=60"]) -> FakeTransport {
        let requestCount = Counter()
        return FakeTransport { _ in
            requestCount.increment()
            return .text(#"{"_beagleComponent_": "beagle:text", "text": "answer \#(requestCount.value)"}"#, fields: fields)
        }
    }

    private static let withHash: HTTPFields = {
        var fields: HTTPFields = [.cacheControl: "max-age=60"]
        if let name = HTTPField.Name("beagle-hash") { fields[name] = "state" }
        return fields
    }()

    static func screensAreDecodedOnce(_ make: MakeScreenClient) async throws -> String? {
        for fields in [[.cacheControl: "max-age=60"], withHash] {
            let coder = CountingCoder()
            let client = make(server(fields), coder, ManualTicker())
            for _ in 0..<10 { _ = await client.text("/home") }
            if coder.decodingCount != 1 { return "one screen is decoded \(coder.decodingCount) times" }
        }
        return nil
    }

    static func screensAreKeptForTheirTime(_ make: MakeScreenClient) async throws -> String? {
        for fields in [[.cacheControl: "max-age=60"], withHash] {
            let (transport, time) = (server(fields), ManualTicker())
            let client = make(transport, CountingCoder(), time)
            _ = await client.text("/home")
            time.advance(by: .seconds(59))
            if await client.text("/home") != "answer 1" { return "a fresh screen is asked for again" }
            time.advance(by: .seconds(1))
            if await client.text("/home") != "answer 2" { return "a screen is shown after its time" }
        }
        return nil
    }

    static func prefetchAsksTheCache(_ make: MakeScreenClient) async throws -> String? {
        let transport = server()
        let client = make(transport, CountingCoder(), ManualTicker())
        _ = await client.text("/home")
        await client.prefetch("/home")
        await client.prefetch("/home")
        let count = transport.requests.count
        return count == 1 ? nil : "a screen that is there is asked for \(count - 1) times more"
    }

    static func prefetchIsJoined(_ make: MakeScreenClient) async throws -> String? {
        let transport = server()
        let client = make(transport, CountingCoder(), ManualTicker())
        let hold = transport.hold()
        async let prefetch: Void = client.prefetch("/home")
        await hold.arrivals(1)
        let results = await calls { handler in
            for _ in 0..<10 { client.fetch("/home", as: "anna", completion: handler) }
            // The prefetch has been under way for all of them.
            hold.release()
        }
        await prefetch
        guard results.count == 10 else { return "ten fetches complete \(results.count) times" }
        guard results.allSatisfy({ (try? $0.get()) is TextComponent }) else { return "a fetch that waits for a prefetch fails" }
        return transport.requests.count == 1 ? nil : "a fetch does not wait for the prefetch under way"
    }

    static func prefetchCanBeCancelled(_ make: MakeScreenClient) async throws -> String? {
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let (door, opener) = AsyncStream.makeStream(of: Void.self)
        let transport = FakeTransport { _ in
            begin.yield()
            // The loop ends when the door is opened, or the request is cancelled.
            for await _ in door {}
            end.yield(Task.isCancelled)
            return .text()
        }
        let client = make(transport, CountingCoder(), ManualTicker())
        let cancel = client.prefetch("/home", as: "anna") {}
        _ = await begins.first { _ in true }
        guard let cancel else {
            opener.finish()
            return "there is nothing to cancel a prefetch with"
        }
        cancel()
        let wasCancelled = await ends.first { _ in true }
        return wasCancelled == true ? nil : "the request goes on after the prefetch is cancelled"
    }

    static func logoutForgetsAUser(_ make: MakeScreenClient) async throws -> String? {
        for fields in [[.cacheControl: "max-age=60"], withHash] {
            let client = make(server(fields), CountingCoder(), ManualTicker())
            guard await client.text("/profile", as: "anna") == "answer 1" else { return "the first user gets nothing" }
            await client.logOut("anna")
            if await client.text("/profile", as: "bruno") == "answer 1" { return "the next user sees the screen of the one who has left" }
            if await client.text("/profile", as: "anna") == "answer 1" { return "a user who comes back sees the screen from before the logout" }
            if await client.text("/profile", as: "bruno") != "answer 2" { return "one user's logout or login takes away another's screen" }
        }
        return nil
    }
}
