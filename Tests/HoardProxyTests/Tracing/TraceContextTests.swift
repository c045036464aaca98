// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardTesting
import Testing

@testable import HoardProxy

@Suite struct TraceContextTests {
    private static let valid = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test func aValidFieldIsReadAndWrittenAsItWas() throws {
        let context = try #require(TraceContext(traceparent: Self.valid, state: "a=1,b=2"))
        #expect(context.traceID == (0x0af7_6519_16cd_43dd, 0x8448_eb21_1c80_319c))
        #expect(context.spanID == 0xb7ad_6b71_6920_3331)
        #expect(context.isSampled)
        #expect(context.state == "a=1,b=2")
        #expect(context.traceparent == Self.valid)
        #expect(context.traceIDText == "0af7651916cd43dd8448eb211c80319c")
    }

    @Test(arguments: [
        "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
        "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-extra", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x",
        "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331_01", " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333é-01",
    ])
    func anythingElseIsNoContext(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test(arguments: ["01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-more"])
    func laterVersionsMaySayMore(text: String) throws {
        let context = try #require(TraceContext(traceparent: text))
        #expect(context.isSampled)
        // The field that is sent on has the version that is understood here.
        #expect(context.traceparent.hasPrefix("00-0af7651916cd43dd8448eb211c80319c-"))
    }

    @Test(arguments: [("00", false), ("01", true), ("02", false), ("ff", true)])
    func onlyTheLastBitOfTheFlagsSaysWhetherItIsSampled(flags: String, isSampled: Bool) throws {
        #expect(try #require(TraceContext(traceparent: Self.valid.dropLast(2) + flags)).isSampled == isSampled)
    }

    @Test(arguments: [String(repeating: "a", count: 513), "a=\u{7F}", "é=1"]) func aStateThatIsTooLongOrNoTextIsLeftOut(state: String) throws {
        #expect(try #require(TraceContext(traceparent: Self.valid, state: state)).state == nil)
    }

    @Test func madeContextsAreReadAsTheyWere() throws {
        for isSampled in [false, true] {
            let context = TraceContext.random(isSampled: isSampled)
            #expect(TraceContext(traceparent: context.traceparent) == context)
        }
        #expect(TraceContext.random(isSampled: true) != .random(isSampled: true))
    }
}
