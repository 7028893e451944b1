package shop.reports

import shop.{billing => b}

class Uses {
  def names: Names = List(shorten("x")) // «reports.Names reports.shorten»
  def zero: b.Money = b.Money.Zero // «Money Money.Zero»
  def run(): Unit = {
    val mailer = new Mailer // «Mailer»
    mailer.mail(Daily.make(), new Daily, null) // «Mailer.mail Daily Daily.make»
    val card = b.Card(zero, "1") // «Card Uses.zero»
    println(card.copy(number = "2").number) // «Card.number»
    Outer.shared.sum // «Outer Outer.shared Outer.sum»
    try mailer.mail(null, null, null) // «Mailer.mail»
    catch { case failure: Failure => println(failure.code) } // «Failure Failure.code»
  }
}

class Failure(val code: Int) extends Exception
