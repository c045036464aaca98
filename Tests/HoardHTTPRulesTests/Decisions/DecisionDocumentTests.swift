// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HoardHTTP
import Testing

@Suite struct DecisionDocumentTests {
    /// With `HOARD_UPDATE_DOCS=1` the file is written instead.
    @Test func documentHasWhatTheCodeDoes() throws {
        let text = try String(contentsOf: DecisionDocument.url, encoding: .utf8)
        let expected = try DecisionDocument.updating(text)
        if ProcessInfo.processInfo.environment["HOARD_UPDATE_DOCS"] == "1" {
            try expected.write(to: DecisionDocument.url, atomically: true, encoding: .utf8)
        } else {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let difference = expected.split(separator: "\n", omittingEmptySubsequences: false).difference(from: lines)
            #expect(difference.isEmpty, "docs/http-decisions.md is not what the code makes; set HOARD_UPDATE_DOCS=1 to write it anew.")
        }
    }

    @Test func actionsMeetEveryReason() {
        let met = Set(DecisionScenario.all.flatMap { $0.run().decisions })
        let unmet = HTTPDecision.catalogue.filter { !met.contains($0) }
        #expect(unmet.isEmpty)
        #expect(met.allSatisfy { HTTPDecision.catalogue.contains($0) })
    }

    @Test func situationsAreToldOnce() {
        let rows = DecisionScenario.all.map { $0.run() }.map { "\($0.state): \($0.situation)" }
        #expect(rows.count == Set(rows).count)
    }
}
