// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// An aggregate of which not all elements have arrived.
struct PartialAggregate: Sendable {
    enum Kind: Sendable { case array, map, set, push, attribute }

    /// How many elements room is made for before any has arrived.
    static let largestReservation = 64

    let kind: Kind
    /// How many elements there will be; `nil` if an end comes after the last.
    let count: Int?
    var elements: [RESPValue] = []
    /// An attribute has been read, which belongs to the next element.
    var isAttributed = false

    init(kind: Kind, count: Int?) {
        self.kind = kind
        self.count = count
        elements.reserveCapacity(min(count ?? 0, Self.largestReservation))
    }

    var isComplete: Bool { elements.count == count }
}

/// Values that consist of values.
extension RESPDecoder {
    /// An aggregate begins: with so many elements, or pairs of them, or until an end. Returns it if it is empty.
    mutating func beginAggregate(_ kind: PartialAggregate.Kind, count: Int?) throws(RedisError) -> RESPValue? {
        guard aggregates.count < limits.maximumDepth else { throw .notRESP3("The server has sent a reply with more levels than are read.") }
        if kind == .push, !aggregates.isEmpty { throw .notRESP3("The server has sent a push within a reply.") }
        var elementCount = count
        if let count {
            try charge(elementCount: count)
            if kind == .map || kind == .attribute {
                // Within the limit until here, so twice of it is a number.
                try charge(elementCount: count)
                elementCount = 2 * count
            }
        }
        let aggregate = PartialAggregate(kind: kind, count: elementCount)
        guard aggregate.isComplete else {
            aggregates.append(aggregate)
            return nil
        }
        return try value(of: aggregate)
    }

    /// Puts a value into the innermost open aggregate, if there is one. Returns the outermost value if that is complete
    /// then.
    mutating func add(_ value: RESPValue) throws(RedisError) -> RESPValue? {
        var value = value
        while !aggregates.isEmpty {
            let innermost = aggregates.count - 1
            if aggregates[innermost].count == nil { try charge(elementCount: 1) }
            aggregates[innermost].elements.append(value)
            aggregates[innermost].isAttributed = false
            guard aggregates[innermost].isComplete else { return nil }
            guard let complete = try self.value(of: aggregates.removeLast()) else { return nil }
            value = complete
        }
        return value
    }

    /// The end of a streamed aggregate has been read.
    mutating func endStreamedAggregate() throws(RedisError) -> RESPValue? {
        guard let aggregate = aggregates.popLast(), aggregate.count == nil, !aggregate.isAttributed else {
            throw .notRESP3("The server has sent an end of nothing.")
        }
        return try value(of: aggregate)
    }

    /// Returns an aggregate as a value; `nil` for an attribute, which is left out.
    private mutating func value(of aggregate: PartialAggregate) throws(RedisError) -> RESPValue? {
        switch aggregate.kind {
        case .array: return .array(aggregate.elements)
        case .set: return .set(aggregate.elements)
        case .map:
            guard aggregate.elements.count.isMultiple(of: 2) else { throw .notRESP3("The server has sent a map with a key that has no value.") }
            return .map(aggregate.elements)
        case .push:
            switch aggregate.elements.first {
            case .bulkString, .simpleString: return .push(aggregate.elements)
            default: throw .notRESP3("The server has sent a push that does not say what it is about.")
            }
        case .attribute:
            if !aggregates.isEmpty { aggregates[aggregates.count - 1].isAttributed = true }
            return nil
        }
    }
}
