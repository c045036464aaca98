// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HoardSimulator

@Suite("LibCacheSimFormat, TwitterFormat, CacheLibFormat", .timeLimit(.minutes(5)))
struct CommaSeparatedFormatTests {
    let directory: TraceDirectory

    init() throws {
        directory = try TraceDirectory()
    }

    // MARK: libCacheSim

    @Test func linesOfLibCacheSimAreTimeObjectAndSize() throws {
        let (requests, _, format) = try directory.requests(in: "100,7,4096\n100.25,8,512\r\n101,7,\"4096\"\n99, key ,0\n")
        #expect(format == .libCacheSimCSV)
        #expect(requests.prefix(3).map(\.key) == [7, 8, 7])
        #expect(requests.map(\.size) == [4_096, 512, 4_096, 0])
        #expect(requests.map(\.time) == [0, 250, 1_000, 0])
        #expect(try directory.requests(in: "5,1\n6,2\n", as: .libCacheSimCSV).requests.map(\.size) == [nil, nil])
    }

    @Test(arguments: [
        "version,time,op,size,lbn\n1,33898,2a,512,42932745\n1,33899,2a,6656,40409911\n",
        "obj_id,Time,obj_size\n42932745,33898,512\n40409911,33899,6656\n",
        "# 'time', 'object', 'size', 'next_access_vtime'\n33898,42932745,512,9\n33899,40409911,6656,-1\n",
        "\n# a comment\ntimestamp,id,size\n33898,42932745,512\n# another\n33899,40409911,6656\n",
    ])
    func libCacheSimsColumnsMayHaveNames(text: String) throws {
        let (requests, _, format) = try directory.requests(in: text)
        #expect(format == .libCacheSimCSV)
        #expect(requests == [AccessRequest(key: 42_932_745, size: 512, time: 0), AccessRequest(key: 40_409_911, size: 6_656, time: 1_000)])
    }

    @Test func aTimeToLiveOfLibCacheSimIsRead() throws {
        let requests = try directory.requests(in: "time,obj_id,obj_size,ttl\n1,2,3,4\n1,2,3,0\n").requests
        #expect(requests.map(\.lifetime) == [4_000, nil])
    }

    @Test(arguments: [
        ("x,1,2", "seconds"), ("1,,2", "separated by commas"), ("1,2,x", "size"), ("1,2,9223372036854775808", "size"), ("1", "separated by commas"),
    ])
    func aMalformedLineOfLibCacheSimIsNamed(line: String, fault: String) throws {
        let error = try directory.error(in: "1,2,3\n\n\(line)\n")
        #expect(error.line == 3)
        #expect(error.message.contains(fault))
    }

    // MARK: Twitter

    @Test func readsOfTwitterHaveTheTimeToLiveOfTheLastWrite() throws {
        let lines = """
            0,nz:u:a,6,0,1,get,0
            0,nz:u:a,6,94,1,set,60
            1,nz:u:a,6,94,2,get,0
            2,b,with,comma,6,14,2,gets,0
            3,nz:u:a,6,194,1,cas,0
            3,nz:u:a,6,0,1,get,0
            4,nz:u:a,6,0,1,delete,0
            5,nz:u:c,6,4,1,incr,0

            """
        let (requests, skipped, format) = try directory.requests(in: lines)
        #expect(format == .twitter)
        #expect(skipped == 4)
        #expect(requests.map(\.size) == [nil, 100, 20, 200])
        #expect(requests.map(\.lifetime) == [nil, 60_000, nil, nil])
        #expect(requests.map(\.time) == [0, 1_000, 2_000, 3_000])
        #expect(requests[0].key == requests[1].key && requests[0].key == requests[3].key && requests[0].key != requests[2].key)
    }

    @Test(arguments: ["0,a,1,2,3,get", "x,a,1,2,3,get,0", "0,a,x,2,3,get,0", "0,a,1,x,3,get,0", "0,a,1,2,3,get,x", "0,a,1,2,3,got,0"])
    func aMalformedLineOfTwitterIsNamed(line: String) throws {
        let error = try directory.error(in: "0,a,1,2,3,get,0\n\(line)\n")
        #expect(error.code == .malformedLine)
        #expect(error.line == 2)
    }

    // MARK: CacheLib

    @Test func readsOfCacheLibAreRepeated() throws {
        let (requests, skipped, format) = try directory.requests(
            in: "key,op,size,op_count,key_size\n5,GET,0,2,10\n5,SET,90,1,10\n5,GET_LEASE,0,1,10\n6,DELETE,0,3,4\n6,GET,6,0,4\n"
        )
        #expect(format == .cacheLib)
        #expect(skipped == 2)
        #expect(requests == [AccessRequest(key: 5), AccessRequest(key: 5), AccessRequest(key: 5, size: 100)])
        #expect(try directory.requests(in: "5,GET,0,2,10\n5,SET,90,1,10,30\n5,GET_LEASE,0,1,10,\n6,DELETE,0,3,4\n").requests.last?.lifetime == 30_000)
    }

    @Test func theLaterReleaseOfCacheLibHasTimesAndHits() throws {
        let rows = "100,ab12,3,GET,2,0,0,0,7,1\n100,ab12,3,SET,1,20,0,600,7,1\n101,ab12,3,GET,2,20,2,0,7,1\n102,ab12,3,GET,3,20,1,0,8,1\n"
        let named = try directory.requests(in: "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n" + rows)
        #expect(named.format == .cacheLib)
        #expect(named.requests.map(\.wasHit) == [false, false, true, true, nil, nil, nil])
        #expect(named.requests.map(\.time) == [0, 0, 1_000, 1_000, 2_000, 2_000, 2_000])
        #expect(named.requests.map(\.lifetime) == [nil, nil] + Array(repeating: 600_000, count: 5))
        #expect(named.requests.map(\.size) == [nil, nil] + Array(repeating: 23, count: 5))
        #expect(Set(named.requests.map(\.group)).count == 2)
        let nameless = try directory.requests(in: rows)
        #expect(nameless.format == .cacheLib)
        #expect(nameless.requests == named.requests)
    }

    @Test func manyRepetitionsComeInBatches() throws {
        let reader = try AccessTraceReader(path: directory.write("5,GET,1,100000,1\n6,GET,1,1,1\n".utf8))
        var batch: [AccessRequest] = []
        var counts: [Int] = []
        while try reader.readBatch(into: &batch) { counts.append(batch.count) }
        #expect(counts.allSatisfy { $0 <= TraceBatch.requestCount })
        #expect(counts.reduce(0, +) == 100_001)
        #expect(reader.requestCount == 100_001)
        // The largest number of requests does not fill the memory.
        let largest = try AccessTraceReader(path: directory.write("5,GET,1,1000000000,1".utf8))
        for _ in 0..<10 {
            #expect(try largest.readBatch(into: &batch))
            #expect(batch.count == TraceBatch.requestCount)
        }
    }

    @Test(arguments: ["1000000001", "18446744073709551615"])
    func moreRepetitionsThanWouldEndAreRefused(count: String) throws {
        let error = try directory.error(in: "5,GET,1,1,1\n5,GET,1,\(count),1\n")
        #expect(error.code == .malformedLine)
        #expect(error.line == 2)
        #expect(error.message.contains("stands for \(count) requests"))
    }

    @Test(arguments: ["5,SET,18446744073709551615,1,2", "5,GET,9223372036854775807,1,1"])
    func aSizeThatIsNoNumberIsRefused(line: String) throws {
        let cacheLib = try directory.error(in: "5,GET,1,1,1\n\(line)\n")
        #expect(cacheLib.line == 2 && cacheLib.message.contains("the size is larger than"))
        let twitter = try directory.error(in: "0,a,1,2,3,get,0\n0,a,18446744073709551615,9,3,get,0\n")
        #expect(twitter.line == 2 && twitter.message.contains("the size is larger than"))
    }

    // MARK: CacheLib's traces of web content

    private static let webRows = """
        1678900000000,k1,1,500,500,200,-1,-1,3600,0.2,0,0,1,7,1
        1678900000250,k1,1,500,100,200,0,99,3600,0.2,1,0,1,7,1
        1678900001000,9,1,-1,700,200,-1,-1,0,0.2,1,0,1,-,1
        1678900001000,9,1,-1,30,200,0,29,0,0.2,0,0,1,-,1
        1678900001000,9,2,-1,30,200,0,29,0,0.2,0,0,1,-,1

        """

    @Test func requestsOfWebContentHaveRecordedHits() throws {
        let names = "timestamp,cacheKey,OpType,objectSize,responseSize,responseHeaderSize,rangeStart,rangeEnd,TTL,SamplingRate,cache_hit,"
        let named = try directory.requests(in: names + "item_value,RequestHandler,cdn_content_type_id,vip_type\n" + Self.webRows)
        #expect(named.format == .cacheLibCDN)
        #expect(named.skippedCount == 1)
        #expect(named.requests.map(\.size) == [500, 500, 700, 700])
        #expect(named.requests.map(\.time) == [0, 250, 1_000, 1_000])
        #expect(named.requests.map(\.lifetime) == [3_600_000, 3_600_000, nil, nil])
        #expect(named.requests.map(\.wasHit) == [false, true, true, false])
        #expect(named.requests[0].key == named.requests[1].key && named.requests[2].key == 9)
        #expect(named.requests[0].group != nil && named.requests[2].group == nil)
        let nameless = try directory.requests(in: Self.webRows)
        #expect(nameless.format == .cacheLibCDN)
        #expect(nameless.requests == named.requests)
    }

    @Test(arguments: [
        ("x,k,1,5,5,0,-1,-1,0,1,0,0,1,-,1", "timestamp"), ("1,,1,5,5,0,-1,-1,0,1,0,0,1,-,1", "cacheKey"), ("1,k", "OpType"),
        ("1,k,1,-2,5,0,-1,-1,0,1,0,0,1,-,1", "objectSize"), ("1,k,1,5,9223372036854775808,0,-1,-1,0,1,0,0,1,-,1", "responseSize"),
    ])
    func aMalformedLineOfWebContentIsNamed(line: String, fault: String) throws {
        let error = try directory.error(in: "1,k,1,5,5,0,-1,-1,0,1,0,0,1,-,1\n\(line)\n")
        #expect(error.code == .malformedLine)
        #expect(error.line == 2)
        #expect(error.message.contains(fault))
    }

    // MARK: Malformed lines of CacheLib

    @Test(arguments: ["5,GET,x,1,1", "5,GET,1,x,1", "5,GET,1,1,x", ",GET,1,1,1", "5,,1,1,1", "5"])
    func aMalformedLineOfCacheLibIsNamed(line: String) throws {
        let error = try directory.error(in: "5,GET,1,1,1\n\(line)\n")
        #expect(error.code == .malformedLine)
        #expect(error.line == 2)
    }
}
