// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HoardHTTP
import HoardHTTPTestSupport
import Testing

@Suite struct CacheControlTests {
    private func parse(_ lines: String...) -> CacheControl {
        CacheControl(response: fields(lines.map { "Cache-Control: \($0)" }))
    }

    @Test func readsEveryResponseDirective() {
        let all = parse(
            """
            max-age=1, s-maxage=2, no-cache, private, no-store, no-transform, must-revalidate, proxy-revalidate, must-understand, public, immutable, \
            stale-while-revalidate=3, stale-if-error=4
            """
        )
        var expected = CacheControl()
        expected.maxAge = 1
        expected.sharedMaxAge = 2
        expected.noCache = .wholeResponse
        expected.privateScope = .wholeResponse
        expected.noStore = true
        expected.noTransform = true
        expected.mustRevalidate = true
        expected.proxyRevalidate = true
        expected.mustUnderstand = true
        expected.isPublic = true
        expected.isImmutable = true
        expected.staleWhileRevalidate = 3
        expected.staleIfError = 4
        #expect(all == expected)
    }

    @Test func readsEveryRequestDirective() {
        let all = CacheControl(
            request: fields("Cache-Control: max-age=1, max-stale=2, min-fresh=3, no-cache, no-store, no-transform, only-if-cached, stale-if-error=4")
        )
        var expected = CacheControl()
        expected.maxAge = 1
        expected.maxStale = 2
        expected.minFresh = 3
        expected.noCache = .wholeResponse
        expected.noStore = true
        expected.noTransform = true
        expected.onlyIfCached = true
        expected.staleIfError = 4
        #expect(all == expected)
    }

    @Test(arguments: ["", ",", " , ,", "foobar", "foo=bar", "foo=\"max-age=1, no-store\"", "maxage=1", "max-age2=1", "x-no-store", "no store"])
    func findsNothingIn(value: String) {
        #expect(parse(value) == CacheControl())
    }

    @Test func findsNothingWithoutTheField() {
        #expect(CacheControl(response: fields("Expires: 0")) == CacheControl())
        #expect(CacheControl(request: HTTPFields()) == CacheControl())
    }

    @Test(
        arguments: [
            ("max-age=3600", 3_600),
            ("MAX-AGE=3600", 3_600),
            ("Max-Age=3600", 3_600),
            ("max-age=0", 0),
            ("max-age=003600", 3_600),
            ("max-age=\"3600\"", 3_600),
            ("max-age=\"36\\00\"", 3_600),
            ("max-age=2147483647", 2_147_483_647),
            ("max-age=2147483648", 2_147_483_648),
            ("max-age=2147483649", 2_147_483_648),
            ("max-age=99999999999", 2_147_483_648),
            ("max-age=99999999999999999999999999999999999999", 2_147_483_648),
            ("foobar, max-age=3600", 3_600),
            ("max-age=3600, foobar=\"", 3_600),
            (",,max-age=3600,,", 3_600),
            ("\tpublic\t,\tmax-age=3600\t", 3_600),
            ("extension=\"max-age=3600\", max-age=1", 1),
            ("extension=\"a\\\"b, max-age=3600\", max-age=1", 1),
            ("max-age=1, extension=\"max-age=3600\"", 1),
            ("max-age=5, max-age=5", 5),
        ] as [(String, Int64)]
    )
    func readsALifetime(value: String, seconds: Int64) {
        #expect(parse(value).maxAge == seconds)
    }

    @Test(arguments: [
        "max-age", "max-age=", "max-age =3600", "max-age= 3600", "max-age = 3600", "max-age 3600", "max-age=-1", "max-age=+1", "max-age=3600.0",
        "max-age=3600.5", "max-age=3600a", "max-age=a3600", "max-age='3600'", "max-age=\"\"", "max-age=\"3600", "max-age=3600\"", "max-age=\"3600\"x",
        "max-age=\" 3600\"", "max-age=0x10", "max-age=1e3", "max-age=36 00", "max-age;=3600", "max-age=\"3600\\\"", "max-age=3600;foo",
        "max-age=\u{0663}",
        "max-age==3600",
    ])
    func takesAMalformedLifetimeAsZero(value: String) {
        #expect(parse(value).maxAge == 0)
    }

    @Test(arguments: [
        ["max-age=1800, max-age=1"], ["max-age=1, max-age=1800"], ["max-age=1800", "max-age=1"], ["max-age=1", "max-age=1800"],
        ["max-age=1, max-age=a"], ["max-age=a", "max-age=1"], ["max-age=1, max-age=2, max-age=2"], ["max-age=1, MAX-AGE=2"],
    ])
    func takesContradictoryLifetimesAsZero(lines: [String]) {
        #expect(CacheControl(response: fields(lines.map { "Cache-Control: \($0)" })).maxAge == 0)
    }

    @Test func treatsAllPermissionsToReuseAlike() {
        for name in ["s-maxage", "stale-while-revalidate", "stale-if-error", "max-stale"] {
            for (value, seconds) in [("=7", 7), ("=\"7\"", 7), ("=x", 0), ("=", 0), ("=7, \(name)=8", 0), ("=99999999999", DeltaSeconds.maximum)] {
                let directives = parse(name + value)
                let values = [directives.sharedMaxAge, directives.staleWhileRevalidate, directives.staleIfError, directives.maxStale]
                #expect(values.compactMap { $0 } == [seconds], "\(name)\(value)")
            }
        }
    }

    @Test func takesMaxStaleWithoutValueAsUnlimited() {
        #expect(CacheControl(request: fields("Cache-Control: max-stale")).maxStale == CacheControl.unlimitedStaleness)
        #expect(CacheControl(request: fields("Cache-Control: max-stale=")).maxStale == 0)
        #expect(CacheControl(request: fields("Cache-Control: max-stale, max-stale=5")).maxStale == 0)
    }

    @Test(
        arguments: [
            ("min-fresh=10", 10), ("min-fresh=10, min-fresh=20", 20), ("min-fresh=20, min-fresh=10", 20), ("min-fresh", 2_147_483_648),
            ("min-fresh=x", 2_147_483_648), ("min-fresh=1, min-fresh=-1", 2_147_483_648),
        ] as [(String, Int64)]
    )
    func takesTheGreatestMinFresh(value: String, seconds: Int64) {
        #expect(CacheControl(request: fields("Cache-Control: \(value)")).minFresh == seconds)
    }

    @Test(arguments: [
        "no-store", "No-Store", "NO-STORE", "no-store=1", "no-store=", "no-store=\"a\"", "no-store foo", "no-store;foo", "no-store =x",
        "max-age=1, no-store", "max-age=10000,no-store", "foo=\"bar\", no-store", "foo=\"unclosed, no-store", "\", no-store", "foo=\"\\\", no-store",
    ])
    func heedsNoStoreHoweverItIsWritten(value: String) {
        #expect(parse(value).noStore)
    }

    @Test(arguments: ["foo=\"no-store\"", "foo=\"a, no-store, b\"", "foo=\"\\\", no-store\"", "nono-store", "no-stored"])
    func overlooksNoStoreInsideQuotesAndInOtherNames(value: String) {
        #expect(!parse(value).noStore)
    }

    @Test func readsEachLineByItself() {
        let directives = parse("foo=\"unclosed", "no-store", "max-age=5")
        #expect(directives.noStore)
        #expect(directives.maxAge == 5)
    }

    @Test func permitsNothingBehindAQuoteLeftOpen() {
        let directives = parse("foo=\"unclosed, public, immutable, must-understand, max-age=3600, stale-while-revalidate=5, private=\"a\"")
        // The quote is closed before `a`, so the text between is one extension.
        #expect(directives == CacheControl())
        let open = parse("foo=\"unclosed, public, immutable, must-understand, max-age=3600, stale-while-revalidate=5, private=a, no-cache")
        #expect(!open.isPublic && !open.isImmutable && !open.mustUnderstand)
        #expect(open.maxAge == 0)
        #expect(open.staleWhileRevalidate == 0)
        #expect(open.privateScope == .wholeResponse)
        #expect(open.noCache == .wholeResponse)
    }

    @Test(arguments: ["public=1", "public", "PUBLIC"])
    func heedsPublicWithOrWithoutArgument(value: String) {
        #expect(parse(value).isPublic)
    }

    @Test(arguments: ["public foo", "public=", "public =1", "public=\"", "immutable foo", "must-understand;x"])
    func ignoresAMalformedPermission(value: String) {
        #expect(parse(value) == CacheControl())
    }

    @Test(
        arguments: [
            ("no-cache=\"a\"", ["a"]), ("no-cache=a", ["a"]), ("no-cache=\"a, b\"", ["a", "b"]), ("no-cache=\" a ,, b \"", ["a", "b"]),
            ("no-cache=\"a\", no-cache=\"b\"", ["a", "b"]), ("NO-CACHE=\"Set-Cookie\"", ["set-cookie"]),
        ] as [(String, [String])]
    )
    func readsTheFieldsOfNoCache(value: String, names: [String]) {
        #expect(parse(value).noCache == .fields(names.compactMap { HTTPField.Name($0) }))
        #expect(
            parse(value.replacing("no-cache", with: "private").replacing("NO-CACHE", with: "private")).privateScope
                == .fields(names.compactMap { HTTPField.Name($0) })
        )
    }

    @Test(arguments: [
        "no-cache", "No-CaChE", "no-cache=", "no-cache=\"\"", "no-cache=\" , \"", "no-cache=\"a b\"", "no-cache=\"a, (b)\"", "no-cache=\"a",
        "no-cache =\"a\"",
        "no-cache=\"a\", no-cache", "no-cache, no-cache=\"a\"", "no-cache=\"cache-control\"", "no-cache=\"a, Vary\"", "no-cache=\"ETag\"",
        "no-cache=\"content-encoding\"", "no-cache=\"CDN-Cache-Control\"", "no-cache=\"date\"", "no-cache=\"a\"b",
    ])
    func appliesNoCacheToTheWholeResponse(value: String) {
        #expect(parse(value).noCache == .wholeResponse)
    }

    @Test func takesPragmaForNoCacheOnlyInRequestsWithoutCacheControl() {
        #expect(CacheControl(request: fields("Pragma: no-cache")).noCache == .wholeResponse)
        #expect(CacheControl(request: fields("Pragma: foo, No-Cache")).noCache == .wholeResponse)
        #expect(CacheControl(request: fields("Pragma: no-cache=\"a\"")).noCache == .wholeResponse)
        #expect(CacheControl(request: fields("Pragma: no-cache", "Cache-Control: max-age=5")).noCache == nil)
        #expect(CacheControl(request: fields("Pragma: no-cache", "Cache-Control:")).noCache == nil)
        #expect(CacheControl(request: fields("Pragma: unrecognised-extension")) == CacheControl())
        #expect(CacheControl(request: fields("Pragma: no-store, max-age=0")) == CacheControl())
        #expect(CacheControl(response: fields("Pragma: no-cache")) == CacheControl())
    }

    @Test(.timeLimit(.minutes(5))) func readsLongValuesInOnePass() {
        // Some of these would take minutes if the time grew with the square of the length.
        let count = 100_000
        #expect(parse(String(repeating: "\"\\", count: count) + ", no-store").noStore)
        #expect(parse(String(repeating: "a=\"\", ", count: count) + "no-store").noStore)
        #expect(parse(String(repeating: ",", count: count) + "no-store").noStore)
        #expect(parse("max-age=" + String(repeating: "9", count: count)).maxAge == DeltaSeconds.maximum)
    }

    @Test func survivesRandomBytes() {
        var generator = TestGenerator()
        let alphabet = "max-age=0123, no-store;\"\\ private="
        for _ in 0..<5_000 {
            let bytes = generator.bytes(upTo: 60, alphabet: alphabet)
            var message = HTTPFields()
            message.append(HTTPField(name: .cacheControl, lenientValue: bytes))
            let directives = CacheControl(response: message)
            if let maxAge = directives.maxAge {
                #expect((0...DeltaSeconds.maximum).contains(maxAge), "seed \(generator.seed)")
            }
            message.append(HTTPField(name: .cacheControl, value: "no-store"))
            #expect(CacheControl(response: message).noStore, "seed \(generator.seed)")
        }
    }
}
