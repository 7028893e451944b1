package shop.reports

class Daily extends Report with Stored { // «Report Stored»
  val title = "daily"
  def send(): Unit = ()
}

object Daily {
  def make(): Report = new Daily // «Report Daily»
  def unapply(report: Report): Option[String] = Some(report.title) // «Report Report.title»
}
