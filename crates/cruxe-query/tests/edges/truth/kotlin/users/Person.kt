package shop.users

open class Person(var name: String) {
    lateinit var home: Address // «Address»
    private var renames: Int = 0
    constructor() : this("nobody")
    init { renames = 1 } // «Person.renames»
    fun rename(name: String) { this.name = name; renames++ } // «Person.name Person.renames»
    fun street(): String = home.street // «Person.home Address.street»
}

data class Address(val street: String, val city: String)
