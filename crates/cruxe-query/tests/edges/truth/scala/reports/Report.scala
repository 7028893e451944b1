package shop.reports

trait Report {
  def title: String
  def render: String = title // «Report.title»
}

trait Stored { def send(): Unit }
