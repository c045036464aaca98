// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

extension RandomOrigin {
    static let cacheControls = [
        "max-age=10", "max-age=30", "max-age=60", "max-age=100, must-revalidate", "s-maxage=20, max-age=60", "public, max-age=40",
        "private, max-age=60", "no-store", "no-cache", "no-cache, max-age=60", "max-age=0", "public", "private", "immutable, max-age=50",
        "max-age=20, stale-while-revalidate=20", "max-age=20, stale-if-error=60", "max-age=20, proxy-revalidate",
        "must-understand, no-store, max-age=30", "max-age=15, stale-if-error=30, must-revalidate", "max-age=10, stale-if-error=0",
        "public, s-maxage=30", "max-age=5, stale-while-revalidate=60, stale-if-error=120", "must-revalidate",
    ]

    /// Lines with directives that are written in odd ways, that contradict each other, or that are no directives.
    static let oddCacheControls: [[String]] = [
        ["max-age=\"25\""], ["MAX-AGE=25"], ["max-age=25, max-age=25"], ["max-age=25, max-age=5"], ["max-age=5, max-age=25"],
        ["max-age=99999999999999999999"], ["max-age=2147483648"], ["max-age=-5"], ["max-age=5.5"], ["max-age=abc"], ["max-age="], ["max-age"],
        ["max-age =25"], ["max-age= 25"], [", ,max-age=25,,"], ["ext=\"a, max-age=25\", max-age=5"], ["ext=\"max-age=25\""],
        ["no-cache=\"x-tone\", max-age=30"], ["private=\"x-tone\", max-age=30"], ["max-age=30, s-maxage=abc"], ["max-age='25'"],
        ["No-Store"], ["no-store, max-age=25"], ["s-maxage=0, max-age=40"], ["stale-while-revalidate=abc, max-age=5"],
        ["stale-if-error=\"40\", max-age=5"], ["max-age=30;public"], ["max-age=030"], ["max-age=30", "no-cache"], ["public", "max-age=20"],
        ["max-age=+5"], ["s-maxage=\"15\", max-age=2"], ["max-age=25, s-maxage=5, s-maxage=10"], ["PRIVATE, max-age=20"],
        ["x-no-store, max-age=10"], ["no-storefront, max-age=10"], ["ext=\"\\\"no-store\", max-age=10"],
    ]
}
