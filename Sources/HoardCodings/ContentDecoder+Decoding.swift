// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ContentDecoder {
    /// Decodes the next part of the content, and hands over all that can be decoded so far.
    ///
    /// - Parameters:
    ///   - input: The part. It may be cut anywhere.
    ///   - output: Gets the decoded bytes, at most 64 KiB at a time. They are valid only during the
    ///     call. An error that it throws is final, too.
    /// - Throws: ``CodingError``. What was handed over before is then part of no valid content.
    package func decode(
        _ input: UnsafeRawBufferPointer,
        _ output: (UnsafeRawBufferPointer) throws(CodingError) -> Void
    ) throws(CodingError) {
        try perform { () throws(CodingError) in
            if steps.isEmpty {
                consumedByteCount += input.count
                try checkLimits(producedByteCount: consumedByteCount)
                if !input.isEmpty { try output(input) }
            } else {
                try push(input, through: 0, output)
            }
        }
    }

    /// Checks that the content has come to its proper end. Content without any byte has not, as
    /// each coding has a header.
    ///
    /// - Throws: ``CodingError`` with the code `truncated`.
    package func finish() throws(CodingError) {
        try perform { () throws(CodingError) in
            for step in steps where !step.stage.isAtEnd { throw .truncated(step.stage.formatName) }
            isFinished = true
        }
    }

    /// Begins with another content, with the memory that is already there; only Brotli needs new
    /// memory. Forgets an error.
    package func reset() throws(CodingError) {
        (failure, isFinished, consumedByteCount) = (nil, false, 0)
        for index in steps.indices { steps[index].producedByteCount = 0 }
        do {
            for step in steps { try step.stage.reset() }
        } catch {
            failure = error
            throw error
        }
    }

    /// Lets a stage decode all of its input, and the next stages all of its output. Goes as deep as
    /// there are codings.
    private func push(
        _ input: UnsafeRawBufferPointer,
        through index: Int,
        _ output: (UnsafeRawBufferPointer) throws(CodingError) -> Void
    ) throws(CodingError) {
        let (stage, scratch) = (steps[index].stage, steps[index].scratch)
        var rest = input
        while true {
            let (consumed, produced) = try stage.step(rest, into: scratch)
            if index == 0 { consumedByteCount += consumed }
            rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
            if produced > 0 {
                steps[index].producedByteCount += produced
                try checkLimits(producedByteCount: steps[index].producedByteCount)
                let part = UnsafeRawBufferPointer(rebasing: scratch[..<produced])
                if index + 1 < steps.count {
                    try push(part, through: index + 1, output)
                } else {
                    try output(part)
                }
            }
            if rest.isEmpty, produced < scratch.count { return }
            // A stage that has neither read nor written would do so for ever.
            guard consumed > 0 || produced > 0 else { throw .corrupt(stage.formatName) }
        }
    }

    private func perform(_ body: () throws(CodingError) -> Void) throws(CodingError) {
        if let failure { throw failure }
        guard !isFinished else {
            throw CodingError(.alreadyFinished, "The content has been finished: reset the decoder before it gets another.")
        }
        do {
            try body()
        } catch {
            failure = error
            throw error
        }
    }
}
