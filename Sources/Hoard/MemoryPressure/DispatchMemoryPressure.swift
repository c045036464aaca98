// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && canImport(Dispatch)
    internal import Dispatch

    /// The levels that the kernel of Apple's systems announces.
    struct DispatchMemoryPressure: MemoryPressureSource {
        func levels() -> AsyncStream<MemoryPressure> {
            let (stream, continuation) = AsyncStream.makeStream(of: MemoryPressure.self, bufferingPolicy: .bufferingNewest(1))
            let holder = SourceHolder()
            holder.source.setEventHandler { [weak holder] in
                guard let holder else { return }
                continuation.yield(MemoryPressure(holder.source.data))
            }
            // The stream holds the source, and the source holds the stream's continuation, until the stream ends.
            continuation.onTermination = { _ in holder.source.cancel() }
            holder.source.activate()
            return stream
        }
    }

    /// Unchecked because the one field is constant, and the dispatch source that it refers to may be used from every
    /// thread.
    private final class SourceHolder: @unchecked Sendable {
        let source = DispatchSource.makeMemoryPressureSource(
            eventMask: [.normal, .warning, .critical],
            queue: DispatchQueue(label: "hoard.memory-pressure", qos: .utility)
        )
    }

    extension MemoryPressure {
        init(_ event: DispatchSource.MemoryPressureEvent) {
            self = event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal
        }
    }
#endif
