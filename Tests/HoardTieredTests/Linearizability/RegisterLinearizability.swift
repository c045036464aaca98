// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// The operations on one key of a cache, with their times: invocations and responses of overlapping operations.
///
/// The checker takes the cache for a register that may forget. The history is *linearizable* (Herlihy and Wing, 1990)
/// if each operation can have one moment between its invocation and its response, such that a register that does
/// everything at these moments gives the same answers.
struct RegisterHistory: Sendable {
    typealias Value = Int
    /// Logical time. Every event has its own moment.
    typealias Moment = Int

    enum Action: Sendable {
        /// Sets the register.
        case write(Value)
        /// Empties the register if it holds such a value.
        case remove(where: @Sendable (Value) -> Bool)
        /// Has found a value. An operation that finds nothing proves nothing, and is not part of a history.
        case read(Value)
        /// Publishes a value. A load, invoked when its loader was, sets the register once or not at all. It does not
        /// set it if a write or removal that concerns its value was invoked later and has happened earlier: fences
        /// ensure that. A load has no response, because it may publish in the background.
        case publish(Value)
    }

    struct Operation: Sendable {
        let action: Action
        let invoked: Moment
        let returned: Moment
        var name = ""
    }

    private(set) var operations: [Operation] = []

    mutating func add(_ action: Action, from invoked: Moment, to returned: Moment = .max, _ name: String = "") {
        operations.append(Operation(action: action, invoked: invoked, returned: returned, name: name))
    }
}

extension RegisterHistory {
    /// Searches for the moments, after Wing and Gong (1993), and remembers the situations that
    /// it has tried, as Lowe (2017) does.
    ///
    /// - Returns: `nil` if the history is linearizable. Otherwise a description of the part that has no explanation.
    func violation() -> String? {
        guard operations.count <= 64 else { return "\(operations.count) operations are more than this checker can take" }
        var search = Search(operations: operations.sorted { $0.invoked < $1.invoked })
        return search.explains(done: 0, register: nil) ? nil : search.complaint
    }

    private struct Search {
        struct Situation: Hashable {
            let done: UInt64
            let register: Value?
        }

        let operations: [Operation]
        private var tried: Set<Situation> = []
        /// The situation in which the most operations were done.
        private var farthest = Situation(done: 0, register: nil)

        init(operations: [Operation]) {
            self.operations = operations
        }

        mutating func explains(done: UInt64, register: Value?) -> Bool {
            var done = done
            // A read that can be done now is done now, because it changes nothing.
            while let read = candidates(done).first(where: { if case .read(register) = operations[$0].action { true } else { false } }) {
                done |= 1 << read
            }
            let situation = Situation(done: done, register: register)
            guard tried.insert(situation).inserted else { return false }
            if done.nonzeroBitCount > farthest.done.nonzeroBitCount { farthest = situation }
            if !operations.indices.contains(where: { isAwaited($0, done) }) { return true }
            for index in candidates(done) {
                let next: Value?
                switch operations[index].action {
                case .read: continue
                case .write(let value): next = value
                case .remove(let concerns): next = register.flatMap { concerns($0) ? nil : $0 }
                case .publish(let value):
                    guard value != register, isRead(value, done), mayPublish(value, since: operations[index].invoked, done) else { continue }
                    next = value
                }
                if explains(done: done | 1 << index, register: next) { return true }
            }
            return false
        }

        /// The operations that can be next. An operation cannot be next if another one that still has to be done
        /// had returned before it was invoked.
        private func candidates(_ done: UInt64) -> [Int] {
            let firstReturn = operations.indices.lazy.filter { isAwaited($0, done) }.map { operations[$0].returned }.min() ?? .max
            return operations.indices.filter { done & (1 << $0) == 0 && operations[$0].invoked <= firstReturn }
        }

        /// Whether an operation has to be done and has not been.
        private func isAwaited(_ index: Int, _ done: UInt64) -> Bool {
            if case .publish = operations[index].action { return false }
            return done & (1 << index) == 0
        }

        /// Whether an operation that has not been done reads the value.
        private func isRead(_ value: Value, _ done: UInt64) -> Bool {
            operations.indices.contains { index in
                if case .read(value) = operations[index].action { done & (1 << index) == 0 } else { false }
            }
        }

        /// Whether no operation that was invoked since then and concerns the value has been done.
        private func mayPublish(_ value: Value, since invoked: Moment, _ done: UInt64) -> Bool {
            !operations.indices.contains { index in
                guard done & (1 << index) != 0, operations[index].invoked > invoked else { return false }
                return switch operations[index].action {
                case .write: true
                case .remove(let concerns): concerns(value)
                case .read, .publish: false
                }
            }
        }

        var complaint: String {
            let open = operations.indices.filter { isAwaited($0, farthest.done) }.map { operations[$0] }
            let first = open.min { $0.returned < $1.returned }
            let lines = operations.indices.map { index in
                (farthest.done & (1 << index) == 0 ? "   " : " ✓ ") + operations[index].description
            }
            let register = farthest.register.map(String.init) ?? "nothing"
            return "unexplained: \(first?.description ?? ""), with \(register) in the register after what is ticked:\n"
                + lines.joined(separator: "\n")
        }
    }
}

extension RegisterHistory.Operation: CustomStringConvertible {
    var description: String {
        let what =
            switch action {
            case .write(let value): "write \(value)"
            case .remove: "remove"
            case .read(let value): "read \(value)"
            case .publish(let value): "load \(value)"
            }
        return "[\(invoked), \(returned == .max ? "…" : String(returned))] \(what)" + (name.isEmpty ? "" : " (\(name))")
    }
}
