// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import Hoard
internal import HoardHTTP
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The clocks of the app: the system's, or clocks that stand still until they are set ahead. Then no test has to
/// wait for a screen to expire, and no screen expires because the machine is slow.
final class TravelClock: WallClock, Ticker {
    /// Runs as the system's clocks do.
    static var running: TravelClock { TravelClock(start: nil) }
    /// Stands still at the present.
    static var standing: TravelClock { TravelClock(start: (Date(), MonotonicTicker().nanoseconds())) }

    private let start: (date: Date, nanoseconds: Int64)?
    private let ticker = MonotonicTicker()
    private let ahead = Mutex<TimeInterval>(0)

    private init(start: (date: Date, nanoseconds: Int64)?) {
        self.start = start
    }

    func now() -> Date { (start?.date ?? Date()).addingTimeInterval(offset) }

    func nanoseconds() -> Int64 { (start?.nanoseconds ?? ticker.nanoseconds()) + Int64(offset) * 1_000_000_000 }

    private var offset: TimeInterval { ahead.withLock { $0 } }

    func advance(by seconds: Int) {
        ahead.withLock { $0 += TimeInterval(seconds) }
    }
}

/// Takes the server along: a response has the date of the clock. Otherwise it would look as old as the clock is ahead.
struct TravelTransport: Transport {
    let transport: any Transport
    let clock: TravelClock

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        onInterimResponse: InterimResponseHandler?
    ) async throws(TransportError) -> TransportResponse {
        var response = try await transport.send(request, body: body, onInterimResponse: onInterimResponse)
        if response.head.headerFields[.date] != nil { response.head.headerFields[.date] = httpDate(clock.now()) }
        return response
    }
}

/// A date as HTTP writes it: RFC 9110 §5.6.7.
func httpDate(_ date: Date) -> String {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
    func two(_ number: Int?) -> String {
        let text = String(number ?? 0)
        return text.count < 2 ? "0" + text : text
    }
    let day = days[((parts.weekday ?? 1) - 1) % 7]
    let month = months[((parts.month ?? 1) - 1) % 12]
    let time = [parts.hour, parts.minute, parts.second].map(two).joined(separator: ":")
    return "\(day), \(two(parts.day)) \(month) \(parts.year ?? 1970) \(time) GMT"
}
