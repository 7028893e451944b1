package shop.stock

trait Identified { def id: Int }

abstract class Entity extends Identified { // «Identified»
  protected var count: Int = 0
  def id: Int = count // «Entity.count»
  def touch(): Unit = count = count + 1 // «Entity.count»
}
