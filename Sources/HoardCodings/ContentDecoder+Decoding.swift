// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension ContentDecoder {
    /// Decodes the next part of the content, and hands over all that can be decoded so far.
    ///
    /// - Parameters:
    ///   - input: The part. It may be cut anywhere.
    ///   - output: Gets the decoded bytes, at most 64 KiB at a time. They are valid only during the
    ///     call. An error that it throws is final, too.
    /// - Throws: ``CodingError``. The bytes that were handed over before are then part of no valid content.
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
                let scratch = steps[steps.count - 1].scratch
                var rest = input
                while case let count = try fill(scratch, by: steps.count - 1, from: &rest), count > 0 {
                    try output(UnsafeRawBufferPointer(rebasing: scratch[..<count]))
                }
            }
        }
    }

    /// Decodes some of the next part of the content, as much as fits. For callers that cannot take any number of bytes
    /// at once.
    ///
    /// - Parameters:
    ///   - input: The part, or the rest of it.
    ///   - output: Gets the decoded bytes.
    /// - Returns: The number of bytes that were read and written. If none were written, the part has been read.
    /// - Throws: ``CodingError``.
    package func decode(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodingError) -> (consumed: Int, produced: Int) {
        var (rest, count) = (input, 0)
        try perform { () throws(CodingError) in
            if steps.isEmpty {
                count = min(rest.count, output.count)
                output.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                consumedByteCount += count
                try checkLimits(producedByteCount: consumedByteCount)
            } else {
                count = try fill(output, by: steps.count - 1, from: &rest)
            }
        }
        return (input.count - rest.count, count)
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
        for index in steps.indices { (steps[index].unread, steps[index].producedByteCount) = (0..<0, 0) }
        do {
            for step in steps { try step.stage.reset() }
        } catch {
            failure = error
            throw error
        }
    }

    /// Lets a stage decode until it has written something, or has no more input.
    ///
    /// - Parameters:
    ///   - index: The stage. The stages before it decode its input. Goes as deep as there are codings.
    ///   - input: The coded bytes that are left, of which those that are read are taken away.
    /// - Returns: The number of bytes in `output`; 0 if there is no more input.
    private func fill(
        _ output: UnsafeMutableRawBufferPointer,
        by index: Int,
        from input: inout UnsafeRawBufferPointer
    ) throws(CodingError) -> Int {
        while true {
            let unread = index == 0 ? input : unread(ofStep: index - 1)
            let (consumed, produced) = try steps[index].stage.step(unread, into: output)
            if index == 0 {
                input = UnsafeRawBufferPointer(rebasing: input[consumed...])
                consumedByteCount += consumed
            } else {
                steps[index - 1].unread = steps[index - 1].unread.dropFirst(consumed)
            }
            if produced > 0 {
                steps[index].producedByteCount += produced
                try checkLimits(producedByteCount: steps[index].producedByteCount)
                return produced
            }
            if consumed < unread.count {
                // A stage that has neither read nor written would do so for ever.
                guard consumed > 0 else { throw .corrupt(steps[index].stage.formatName) }
                continue
            }
            if index == 0 { return 0 }
            let count = try fill(steps[index - 1].scratch, by: index - 1, from: &input)
            if count == 0 { return 0 }
            steps[index - 1].unread = 0..<count
        }
    }

    private func unread(ofStep index: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: steps[index].scratch[steps[index].unread])
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
