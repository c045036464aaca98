// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardCodings
internal import NIOCore
internal import Synchronization

/// Codes content for its callers. A caller that asks for the same content at the same time waits for the first one.
final class FormMaker: Sendable {
    struct Job: Hashable {
        let key: HTTPCacheKey
        /// The coding that the content has.
        let own: ContentCoding?
        let target: FormKind
    }

    /// The outcome of coding content.
    enum Form: Sendable {
        case coded(ByteBuffer)
        /// It would not be shorter.
        case notWorthIt
        /// It is too long for memory when it is decoded.
        case tooLong
        /// Its bytes do not fit its coding.
        case damaged
    }

    private struct Running {
        let content: ByteBuffer
        let task: Task<Form, Never>
    }

    /// Content that is longer when it is decoded is coded while it is sent.
    static let longestContent = 4 << 20

    private let running = Mutex<[Job: Running]>([:])
    private let limits: ContentDecoder.Limits

    /// - Parameter maximumBytes: The longest content that is made of coded content in memory.
    init(maximumBytes: Int) {
        limits = ContentDecoder.Limits(maximumBytes: maximumBytes)
    }

    /// The content in another coding. Suspends while it is made, which no event loop does.
    ///
    /// - Parameter keep: Called once with the new form, before any caller gets it.
    func form(of content: ByteBuffer, _ job: Job, keep: @escaping @Sendable (Form) -> Void) async -> Form {
        let task = running.withLock { running in
            if let same = running[job], same.content == content { return same.task }
            let task = startTask { [self] in
                let form = make(content, job)
                keep(form)
                self.running.withLock { if $0[job]?.content == content { $0[job] = nil } }
                return form
            }
            running[job] = Running(content: content, task: task)
            return task
        }
        return await task.value
    }

    /// The level of effort for a form that is made once and sent often: 64 KiB take some milliseconds, and are a tenth
    /// smaller than with the usual level. `nil`: the usual one.
    private static func level(_ coding: ContentCoding) -> Int? {
        switch coding {
        case .brotli: 7
        case .zstandard: 9
        default: nil
        }
    }

    private func make(_ content: ByteBuffer, _ job: Job) -> Form {
        do throws(CodingError) {
            let plain = try content.decoded(job.own.map { [$0] } ?? [], limits)
            guard let target = job.target.coding else { return .coded(plain) }
            let dictionary = job.target.dictionary
            var coded = ByteBuffer(bytes: dictionary?.header ?? [])
            var frame = try ContentEncoder(
                coding: target,
                level: dictionary == nil ? Self.level(target) : nil,
                dictionary: dictionary?.content
            ).content(plain)
            coded.writeBuffer(&frame)
            return job.own == nil && coded.readableBytes >= content.readableBytes ? .notWorthIt : .coded(coded)
        } catch {
            return error.code == .tooLong || error.code == .tooDense ? .tooLong : .damaged
        }
    }
}
