package shop.reports

import shop.billing.Money // «Money»

trait Show[A] { def show(a: A): String }

object Show {
  def apply[A](implicit one: Show[A]): Show[A] = one // «Show»
  implicit val moneyShow: Show[Money] = new Show[Money] { // «Show Money»
    def show(money: Money): String = money.currency // «Money Money.currency»
  }
}

class Shown {
  def text[A](a: A)(implicit s: Show[A]): String = s.show(a) // «Show Show.show»
  def bound[A: Show](a: A): String = Show[A].show(a) // «Show Show.show»
  lazy val later: Money = Money.parse("x") // «Money Money.parse»
  def laterText: String = later.currency // «Shown.later Money.currency»
}
