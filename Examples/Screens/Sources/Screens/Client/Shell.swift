// This source file is part of Hoard, the caching toolkit for Swift.
// SPDX-License-Identifier: Apache-2.0

/// Browses a shop that runs: shows a screen, prefetches the screens to which it leads, and waits for the next command.
struct Shell {
    private let browser: Browser
    private let report: Report
    private let prompt: @Sendable () -> Void
    /// The screens that were opened, this one last.
    private var history: [String] = []
    private var links: [String] = []

    /// - Parameters:
    ///   - prompt: Called whenever the next command may be typed.
    ///   - print: Gets each line.
    init(browser: Browser, prompt: @escaping @Sendable () -> Void = {}, print: @escaping @Sendable (String) -> Void) {
        self.browser = browser
        self.prompt = prompt
        report = Report(print: print)
    }

    /// Opens the first screen, and obeys the lines until they end or one of them is `quit`.
    mutating func run(_ lines: some AsyncSequence<String, Never>) async {
        await open("/screens/home")
        prompt()
        for await line in lines {
            let command = ShellCommand(line)
            if command == .quit { return }
            if let command {
                await execute(command)
            } else if line.contains(where: { !$0.isWhitespace }) {
                report.say("What is that? help says what can be done.")
            }
            prompt()
        }
    }

    private mutating func execute(_ command: ShellCommand) async {
        switch command {
        case .press(let number):
            guard number <= links.count else { return report.say("There is no button \(number).") }
            await open(links[number - 1])
        case .open(let path): await open(path)
        case .back:
            guard history.count > 1 else { return report.say("This is the first screen.") }
            history.removeLast()
            await open(history.removeLast())
        case .again: if let path = history.popLast() { await open(path) }
        case .refresh: if let path = history.popLast() { await open(path, "refresh") }
        case .watch: await watch()
        case .logIn(let name):
            await browser.logIn(Account(name))
            report.say("Logged in as \(name). Open the profile to see whether the server knows the name.")
        case .logOut:
            await browser.logOut()
            report.say("Logged out. Nothing of the profile is kept.")
        case .price(let product, let cents):
            let isDone = await browser.setPrice(cents, ofProduct: product)
            report.say(isDone ? "The price is changed. The app does not know it yet." : "The shop has not done it.")
        case .stats: report.statistics(await browser.statistics, await browser.counts())
        case .help: report.say(ShellCommand.helpText)
        case .quit: break
        }
    }

    private mutating func open(_ path: String, _ verb: String = "open") async {
        let visit = await browser.open(path, revalidates: verb == "refresh")
        report.visit(verb, visit)
        history.append(path)
        show(visit)
        guard !visit.prefetchPaths.isEmpty, visit.requests != nil else { return }
        let (result, requests) = await browser.prefetch(visit.prefetchPaths)
        report.prefetch(result, requests)
    }

    private mutating func watch() async {
        guard let path = history.last else { return }
        for await visit in browser.updates(of: path) {
            report.visit("watch", visit)
            show(visit)
        }
    }

    private mutating func show(_ visit: Visit) {
        links = visit.text?.links ?? []
        for line in visit.text?.lines ?? [] { report.say("    " + line) }
    }
}
