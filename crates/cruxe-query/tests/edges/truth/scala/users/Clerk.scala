package shop.users

import shop.billing.{Payment, Till} // «Payment Till»

class Clerk(till: Till) extends Person("clerk") { // «Till Person»
  def serve(payment: Payment): Boolean = till.take(payment) // «Payment Till.take»
  def hello: String = s"I am $name" + super.street // «Person.name Person.street»
  def friend: Clerk = Clerk.nobody // «Clerk Clerk.nobody»
}

object Clerk {
  def nobody: Clerk = new Clerk(new Till) // «Clerk Till»
  def other: String = nobody.hello // «Clerk.nobody Clerk.hello»
}
