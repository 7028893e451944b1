package shop.events

class audited(val level: Int = 0) extends scala.annotation.StaticAnnotation

@audited(level = 2) // «audited audited.level»
class Vault {
  @audited // «audited»
  def open(): Unit = () // «!Vault.open»
}
