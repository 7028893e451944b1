package shop.users

class Places(val people: List[Person]) { // «Person»
  def cities: List[String] = people.map(_.home.city) // «Places.people Person.home Address.city»
  def first: String = {
    val Address(street, city) = people.head.home // «Address Places.people Person.home»
    street + city
  }
  def byName: Map[String, Person] = people.map(p => p.name -> p).toMap // «Person Places.people Person.name»
  def streetOf(name: String): String = byName(name).home.street // «Places.byName -Person.home -Address.street»
  def pair: (Person, Address) = (people.head, people.head.home) // «Person Address Places.people Person.home»
  def show: String = {
    val (owner, place) = pair // «Places.pair»
    owner.name + place.city + pair._1.name // «Person.name Address.city Places.pair»
  }
}
