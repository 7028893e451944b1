package shop.catalog

// Everything here has a name that something else has as well, and nobody uses it.
class Decoy {
  val price = 1 // «!Decoy.price»
  def sum = 2 // «!Decoy.sum»
  def pay(): Unit = () // «!Decoy.pay»
  def send(): Unit = () // «!Decoy.send»
  def touch(): Unit = () // «!Decoy.touch»
  class Node // «!Decoy.Node»
}

object Decoy {
  def of(text: String): String = text // «!Decoy.of»
  val Zero = 1 // «!Decoy.Zero»
}
