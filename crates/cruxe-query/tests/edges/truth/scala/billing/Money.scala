package shop.billing

case class Money(amount: Int, currency: String) {
  def +(other: Money): Money = copy(amount = amount + other.amount) // «Money Money.amount»
  def isZero: Boolean = this == Money.Zero // «Money Money.Zero»
}

object Money {
  val Zero: Money = Money(0, "EUR") // «Money»
  def parse(text: String): Money = Zero // «Money Money.Zero»
  implicit val ordering: Ordering[Money] = Ordering.by(_.amount) // «Money -Money.amount»
}
