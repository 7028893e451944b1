class Mailer {
    func mail(report: Report, stored: any Stored) { // «Report Stored»
        report.render() // «Report.render»
        stored.send() // «Stored.send»
        let daily = Daily() // «Daily»
        daily.send() // «Daily.send»
        Daily.make().render() // «Daily Daily.make Report.render»
        Daily.boxed().render() // «Daily Daily.boxed Report.render»
        (report as? Daily)?.send() // «Daily Daily.send»
        (daily as Stored).send() // «Stored Stored.send»
    }
    func generic<R: Report>(_ one: R) -> String { one.render() } // «Report Report.render»
    func opaque(_ one: some Report) -> String { one.title } // «Report Report.title»
    func limited<R>(_ one: R) -> String where R: Report { one.title } // «Report Report.title»
}
