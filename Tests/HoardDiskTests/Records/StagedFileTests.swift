// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hoard
import Testing

@testable import HoardDisk

@Suite struct StagedFileTests {
    private let workspace: PayloadWorkspace

    init() throws {
        workspace = try PayloadWorkspace()
    }

    private func staged() throws -> StagedFile {
        let writer = try workspace.files.makeWriter(sealer: ChecksumSealer(nonce: PayloadWorkspace.name.nonce))
        _ = try writer.write(Data("payload".utf8), synchronizing: false)
        return StagedFile(writer, nonce: PayloadWorkspace.name.nonce)
    }

    @Test func transactionThatIsTriedAgainFindsTheFileInPlace() throws {
        let file = try staged()
        for _ in 0..<2 { try file.place(in: workspace.files, id: PayloadWorkspace.name.id) }
        #expect(workspace.files.hasFile(PayloadWorkspace.name))
        file.discard(from: workspace.files)
        #expect(!workspace.files.hasFile(PayloadWorkspace.name))
    }

    @Test func fileThatAnotherProcessHasDeletedGetsNoRow() throws {
        let file = try staged()
        try file.place(in: workspace.files, id: PayloadWorkspace.name.id)
        // As a sweep of another process does between two transactions, as the file has no row.
        try workspace.files.remove(PayloadWorkspace.name)
        let error = #expect(throws: StoreError.self) { try file.place(in: workspace.files, id: PayloadWorkspace.name.id) }
        #expect(error?.code == .unavailable)
    }
}
