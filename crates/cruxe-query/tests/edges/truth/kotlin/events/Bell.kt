package shop.events

typealias Ringing = (String) -> Unit

fun interface Listener { fun heard(who: String) }

class Bell {
    private val listeners = mutableListOf<Listener>() // «Listener»
    fun listen(listener: Listener) { listeners += listener } // «Listener Bell.listeners»
    fun ring(who: String) { listeners.forEach { it.heard(who) } } // «Bell.listeners -Listener.heard»
    fun with(ringing: Ringing) { ringing("x") } // «Ringing»
}
