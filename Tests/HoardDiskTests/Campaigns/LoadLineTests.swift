// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HoardDiskTorture

@Suite struct LoadLineTests {
    @Test(arguments: [
        LoadLine.ready, .intent(.insert(key: 3, version: 1_000_017)), .done(.remove(key: 4)), .failed(.removeTag(11), code: "full"),
        .wrong("key 3 holds version 2 instead of nothing"), .reads(17),
    ])
    func aLineIsReadAsItWasWritten(line: LoadLine) {
        #expect(LoadLine(line.description) == line)
    }

    @Test(arguments: [
        DamageLine.started(12), .failed("the store failed"), .fault("delete hoard.sqlite"), .ended(faults: 1, reads: 2, survivors: 3, refused: true),
    ])
    func aLineOfACaseIsReadAsItWasWritten(line: DamageLine) {
        #expect(DamageLine(line.description) == line)
    }

    @Test(arguments: ["", "done", "done insert 3", "intent remove", "reads many", "failed full", "killed", "ready or not", "done insert 3 4 5"])
    func aLineThatIsNoneIsRefused(text: String) {
        #expect(LoadLine(text) == nil)
    }

    @Test func theLogCountsAndEntersTheLedger() {
        var log = WorkerLog()
        var ledger = Ledger(keys: 0..<4)
        for line in ["ready", "intent insert 1 5", "done insert 1 5", "intent insert 2 6", "reads 7", "wrong it is", "nonsense"] {
            log.note(line, &ledger)
        }
        #expect(log.doneCount == 1)
        #expect(log.readCount == 7)
        #expect(log.failures == ["it is", "a line that means nothing: nonsense"])
        #expect(ledger.possibilities(forKey: 1) == [.version(5)])
        #expect(ledger.possibilities(forKey: 2) == [.nothing, .version(6)])
    }

    @Test func halfALineIsDropped() throws {
        let pipe = Pipe()
        var reader = LineReader(descriptor: pipe.fileHandleForReading.fileDescriptor)
        func next(_ deadline: ContinuousClock.Instant) -> [String] { reader.next(until: deadline) }
        #expect(next(.now) == [])
        pipe.fileHandleForWriting.write(Data("one\ntwo\nthr".utf8))
        #expect(next(.now + .seconds(10)) == ["one", "two"])
        #expect(next(.now) == [])
        pipe.fileHandleForWriting.write(Data("ee\nfour".utf8))
        #expect(next(.now + .seconds(10)) == ["three"])
        #expect(!reader.isAtEnd)
        try pipe.fileHandleForWriting.close()
        #expect(next(.now + .seconds(10)) == [])
        #expect(reader.isAtEnd)
    }
}
