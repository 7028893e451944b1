package shop.stock

interface Identified { val id: Int }

abstract class Entity : Identified { // «Identified»
    override var id: Int = 0
    open fun touch() { id = id + 1 } // «Entity.id»
}
