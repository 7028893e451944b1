package shop.events

class Door : Listener { // «Listener»
    private val bell = Bell() // «Bell»
    fun open() {
        bell.listen(this) // «Door.bell Bell.listen»
        bell.listen(object : Listener { // «Door.bell Bell.listen Listener»
            override fun heard(who: String) = answer(who) // «Door.answer»
        })
        bell.ring("door") // «Door.bell Bell.ring»
        fun local() { answer("y") } // «Door.answer»
        local()
    }
    override fun heard(who: String) = answer(who) // «Door.answer»
    private fun answer(who: String) {}
}
