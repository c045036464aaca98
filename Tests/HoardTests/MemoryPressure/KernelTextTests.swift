// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardTesting
import Testing

@testable import Hoard

@Suite struct KernelTextTests {
    typealias Stall = MemoryReadings.Stall

    @Test(arguments: [
        (
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
            Stall(some: 0, full: 0)
        ),
        (
            "some avg10=12.50 avg60=3.07 avg300=0.91 total=81927364\nfull avg10=6.25 avg60=1.00 avg300=0.30 total=4019283\n",
            Stall(some: 0.125, full: 0.0625)
        ),
        ("some avg10=100.00 avg60=99.99 avg300=1.00 total=18446744073709551615\n", Stall(some: 1)),
        ("full avg10=50.00 avg60=0.00 avg300=0.00 total=1", Stall(full: 0.5)),
        // Lines and fields of later kernels.
        ("most avg10=1.00 total=1\nsome avg5=9.00 avg10=25.00 avg60=0.00 avg300=0.00 total=1 peak=7\n", Stall(some: 0.25)),
        // One line is damaged.
        ("some avg10=x avg60=0.00 avg300=0.00 total=0\nfull avg10=75.00 avg60=0.00 avg300=0.00 total=0\n", Stall(full: 0.75)),
    ])
    func stallsAreReadAsSharesOfTheLastTenSeconds(text: String, expected: Stall) {
        #expect(KernelText.stall(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        "", "\n", " ", "some", "some \n", "some avg10=1.00",
        "some avg60=1.00 avg300=1.00 total=5",
        "some avg10= avg60=0.00 avg300=0.00 total=0",
        "some avg10=-1.00 avg60=0.00 avg300=0.00 total=0",
        "some avg10=+1.00 avg60=0.00 avg300=0.00 total=0",
        "some avg10=100.01 avg60=0.00 avg300=0.00 total=0",
        "some avg10=1e1 avg60=0.00 avg300=0.00 total=0",
        "some avg10=nan avg60=0.00 avg300=0.00 total=0",
        "some avg10=inf avg60=0.00 avg300=0.00 total=0",
        "some avg10=10 avg60=0.00 avg300=0.00 total=0",
        "some avg10=1.2.3 avg60=0.00 avg300=0.00 total=0",
        "some avg10=1,00 avg60=0.00 avg300=0.00 total=0",
        "some avg10=99999999999999999999.00 avg60=0.00 avg300=0.00 total=0",
        "some avg10=1.9999999999 avg60=0.00 avg300=0.00 total=0",
        "some avg10=1.00 avg60=0.00 avg300=0.00 total=",
        "some avg10=1.00 avg60=0.00 avg300=0.00 total=-5",
        "some avg10=1.00 avg60=0.00 avg300=0.00 total=18446744073709551616",
        "Some avg10=1.00 avg60=0.00 avg300=0.00 total=0",
        "some\tavg10=1.00\tavg60=0.00\tavg300=0.00\ttotal=0",
    ])
    func strangeStallsAreNotRead(text: String) {
        #expect(KernelText.stall(Array(text.utf8)) == nil)
    }

    @Test func stallThatIsCutAnywhereNeverReadsAsAnotherShare() {
        let text = Array("some avg10=12.50 avg60=3.07 avg300=0.91 total=81927364\n".utf8)
        for length in 0...text.count {
            let stall = KernelText.stall(Array(text.prefix(length)))
            #expect(stall == nil || stall == Stall(some: 0.125), "cut at \(length)")
        }
    }

    @Test(arguments: [
        ("max\n", KernelText.Limit.none), ("max", .none), ("0\n", .bytes(0)), ("536870912\n", .bytes(536_870_912)), ("1", .bytes(1)),
        ("9223372036854771712\n", .bytes(9_223_372_036_854_771_712)), ("18446744073709551615\n", .bytes(.max)), ("007\n", .bytes(7)),
    ])
    func limitsAreNumbersOrNone(text: String, expected: KernelText.Limit) {
        #expect(KernelText.limit(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        "", "\n", "-1\n", "+1\n", " 1\n", "1 \n", "1\n\n", "1\n2\n", "0x10", "1.5", "1e9", "18446744073709551616", "99999999999999999999999", "MAX",
        "maximum", "ma", "512M", "１",
    ])
    func strangeNumbersAreNotRead(text: String) {
        #expect(KernelText.bytes(Array(text.utf8)) == nil)
        #expect(KernelText.limit(Array(text.utf8)) == nil)
    }

    @Test func currentUseIsANumberOnly() {
        #expect(KernelText.bytes(Array("4096\n".utf8)) == 4096)
        #expect(KernelText.bytes(Array("max\n".utf8)) == nil)
    }

    private let statistics = "anon 1000\nfile 3000\ninactive_anon 5\nactive_file 7\ninactive_file 2048\nworkingset_refault_file 9\n"

    @Test(arguments: [
        ("inactive_file", 2048 as UInt64?), ("anon", 1000), ("active_file", 7), ("file", 3000), ("_file", nil), ("slab", nil), ("", nil),
    ])
    func statisticsAreFoundByTheirWholeName(name: String, expected: UInt64?) {
        #expect(KernelText.statistic(name, in: Array(statistics.utf8)) == expected)
    }

    @Test(arguments: [
        "", "inactive_file", "inactive_file \n", "inactive_file -1\n", "inactive_file 1 2\n", "inactive_file x\n", "inactive_file=1\n",
        "inactive_file 18446744073709551616\n", "xinactive_file 1\n",
    ])
    func strangeStatisticsAreNotRead(text: String) {
        #expect(KernelText.statistic("inactive_file", in: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        ("0::/\n", []), ("0::/", []), ("0::/a", ["a"]),
        ("0::/user.slice/user-1000.slice/session-2.scope\n", ["user.slice", "user-1000.slice", "session-2.scope"]),
        ("12:pids:/x\n1:name=systemd:/y\n0::/system.slice/app.service\n", ["system.slice", "app.service"]),
        ("0::/with:colon/and space (deleted)\n", ["with:colon", "and space (deleted)"]),
        ("0::/kubepods//pod1/\n", ["kubepods", "pod1"]),
    ])
    func groupIsThatOfTheUnnumberedHierarchy(text: String, expected: [String]) {
        #expect(KernelText.groupPath(Array(text.utf8)) == expected)
    }

    @Test(arguments: [
        "", "\n", "0::", "0:", "9:memory:/a\n", "10::/a\n", "0:memory:/a\n", "0::a\n", "0::/../sibling\n", "0::/a/../../b\n", "0::/a\0b\n", " 0::/a",
    ])
    func groupThatCannotBeReachedIsNone(text: String) {
        #expect(KernelText.groupPath(Array(text.utf8)) == nil)
    }

    @Test func groupPathThatIsNotUTF8IsNone() {
        #expect(KernelText.groupPath(Array("0::/a".utf8) + [0xFF, 0xFE]) == nil)
    }

    @Test(arguments: 0..<20)
    func noBytesCrashAnyParser(_: Int) {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("some full avg10=.0123456789 total=max\n:/-+inactive_file\0".utf8) + [0xFF, 0x80]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0..<120, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            if let stall = KernelText.stall(text) {
                #expect([stall.some, stall.full].compactMap { $0 }.allSatisfy { (0...1).contains($0) }, "seed \(seed)")
            }
            _ = KernelText.limit(text)
            _ = KernelText.bytes(text)
            _ = KernelText.statistic("inactive_file", in: text)
            #expect(KernelText.groupPath(text)?.contains { $0.isEmpty || $0.contains("/") } != true, "seed \(seed)")
        }
    }
}
