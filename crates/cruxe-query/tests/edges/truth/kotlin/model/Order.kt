package shop.model

enum class State { OPEN, CLOSED }

data class Line(val name: String, val price: Int)

interface Priced { fun total(): Int }

abstract class Document(protected val title: String) {
    open fun describe(): String = title // «Document.title»
}

class Order(title: String, val lines: List<Line>) : Document(title), Priced { // «Line Document Priced»
    var state: State = State.OPEN // «State State.OPEN»
    override fun total(): Int = lines.sumOf { line -> line.price } // «Order.lines Line.price»
    override fun describe(): String = super.describe() + total() // «Document.describe Order.total»
    companion object {
        const val LIMIT = 10
        fun empty(): Order = Order("", emptyList()) // «Order»
    }
    inner class Cursor {
        fun next(): Int = total() // «Order.total»
    }
}
