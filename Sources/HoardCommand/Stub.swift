internal import ArgumentParser
internal import AsyncHTTPClient
@main struct M { static func main() {} }
