package shop.reports

class Mailer {
    fun mail(report: Report, stored: Stored) { // «Report Stored»
        report.render() // «Report.render»
        stored.send() // «Stored.send»
        val daily = Daily() // «Daily»
        daily.send() // «Daily.send»
        Daily.make().render() // «Daily Daily.make Report.render»
        (daily as Stored).send() // «Stored Stored.send»
        (report as? Daily)?.send() // «Daily Daily.send»
        Logged(report).render() // «Logged Report.render»
    }
}
