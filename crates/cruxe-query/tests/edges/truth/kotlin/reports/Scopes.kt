package shop.reports

import shop.users.Address // «Address»
import shop.users.Person // «Person»

class Scopes {
    val person by lazy { Person("x") } // «Person»
    fun run(): String {
        val made = Person("a").apply { rename("b") }.also { it.street() } // «Person Person.rename Person.street»
        made.street() // «Person.street»
        val city = made.run { home.city } // «Person.home Address.city»
        val text = made.let { p -> p.name } // «Person.name»
        person.street() // «Scopes.person Person.street»
        val pair: Pair<Person, Address> = made to made.home // «Person Address Person.home»
        return pair.first.name + pair.second.city + city + text // «Person.name Address.city»
    }
}
