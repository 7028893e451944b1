struct Daily: Report, Stored { // «Report Stored»
    let title = "daily"
    func send() {}
    static func make() -> some Report { Daily() } // «Report Daily»
    static func boxed() -> any Report { Daily() } // «Report Daily»
}
