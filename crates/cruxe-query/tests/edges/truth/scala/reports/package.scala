package shop

package object reports {
  type Names = List[String]
  val Limit = 10
  def shorten(text: String): String = text.take(Limit) // «reports.Limit»
}
