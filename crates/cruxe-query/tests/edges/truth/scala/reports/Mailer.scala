package shop.reports

class Mailer {
  def mail(report: Report, stored: Stored, both: Report with Stored): Unit = { // «Report Stored»
    report.render // «Report.render»
    stored.send() // «Stored.send»
    both.render // «Report.render»
    val daily = new Daily // «Daily»
    daily.send() // «Daily.send»
    Daily.make().render // «Daily Daily.make Report.render»
    daily.asInstanceOf[Stored].send() // «Stored Stored.send»
    report match {
      case d: Daily => d.send() // «Daily Daily.send»
      case Daily(title) => println(title) // «Daily»
    }
  }
  def generic[R <: Report](one: R): String = one.render // «Report Report.render»
}
