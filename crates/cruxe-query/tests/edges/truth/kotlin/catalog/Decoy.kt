package shop.catalog

// Everything here has a name that something else has as well, and nobody uses it.
class Decoy(val label: String) { // «!Decoy.label»
    val price = 1 // «!Decoy.price»
    fun total() = 2 // «!Decoy.total»
    fun pay() {} // «!Decoy.pay»
    fun send() {} // «!Decoy.send»
    fun touch() {} // «!Decoy.touch»
    class Node // «!Decoy.Node»
    companion object {
        fun of(text: String) = text // «!Decoy.of»
    }
}
