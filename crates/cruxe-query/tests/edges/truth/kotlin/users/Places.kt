package shop.users

class Places(val people: List<Person>) { // «Person»
    fun cities(): List<String> = people.map { it.home.city } // «Places.people Person.home Address.city»
    fun first(): String {
        val (street, city) = people[0].home // «Places.people Person.home»
        return street + city
    }
    fun byName(): Map<String, Person> = people.associateBy { it.name } // «Person Places.people Person.name»
    fun streetOf(name: String): String? = byName()[name]?.home?.street // «Places.byName Person.home Address.street»
}
