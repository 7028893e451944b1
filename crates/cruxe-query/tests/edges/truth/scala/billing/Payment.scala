package shop
package billing

sealed trait Payment {
  def money: Money // «Money»
  def pay(): Boolean
  def show: String = money.currency // «Payment.money Money.currency»
  def twice(): Boolean = pay() && this.pay() // «Payment.pay»
}

final case class Card(money: Money, number: String) extends Payment { // «Money Payment»
  override def pay(): Boolean = number.nonEmpty // «Card.number»
  override def show: String = super.show + number // «Payment.show Card.number»
}

final case class Cash(money: Money, coins: Int) extends Payment { // «Money Payment»
  override def pay(): Boolean = coins > 0 // «Cash.coins»
}
