// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import HoardHTTP
import HoardImages
import HoardTesting
import HoardViews
import Testing

@testable import HoardUI

@Suite struct ScreenImageOptionsTests {
    private let screens = FakeScreens()

    @Test func imagesOfAScreenBelongToItsPartitionAndStayInMemoryIfItIsSensitive() {
        let account = ImageOptions(ofScreen: ViewRequest("/account", partition: "ada", isSensitive: true), from: screens)
        #expect(account == ImageOptions(partition: "ada", keepsInMemoryOnly: true))
        #expect(ImageOptions(ofScreen: ViewRequest("/home"), from: screens) == ImageOptions())
    }

    @Test func thePartitionOfTheClientCountsForScreensThatNameNone() {
        var cacheConfiguration = HTTPCache.Configuration()
        cacheConfiguration.partition = "cache"
        let http = CachingClient(transport: FakeTransport { _ in .text("") }, cache: HTTPCache(configuration: cacheConfiguration))
        let dependencies = ViewClient.Dependencies(urlBuilder: URLBuilder(baseURL: nil), client: http)
        var configuration = ViewClient.Configuration()
        #expect(ImageOptions(ofScreen: "/home", from: ViewClient(dependencies: dependencies)).partition == "cache")
        configuration.partition = "ada"
        let client = ViewClient(dependencies: dependencies, configuration: configuration)
        #expect(ImageOptions(ofScreen: "/home", from: client).partition == "ada")
        #expect(ImageOptions(ofScreen: ViewRequest("/home", partition: ""), from: client).partition == "")
    }

    @Test func anImageOfAScreenMayHaveAPartitionOfItsOwnAndIsNeverLessPrivate() {
        let screen = ImageOptions(partition: "ada", keepsInMemoryOnly: true)
        let small = ImageOptions(maximumPixelSize: 8)
        #expect(small.within(screen) == ImageOptions(maximumPixelSize: 8, partition: "ada", keepsInMemoryOnly: true))
        #expect(ImageOptions(partition: "shop").within(screen) == ImageOptions(partition: "shop", keepsInMemoryOnly: true))
        #expect(ImageOptions(keepsInMemoryOnly: true).within(ImageOptions()).keepsInMemoryOnly)
    }
}
