package shop.users

class Person(var name: String) {
  var home: Address = Address("a", "b") // «Address»
  private var renames = 0
  def rename(name: String): Unit = { this.name = name; renames += 1 } // «Person.name Person.renames»
  def street: String = home.street // «Person.home Address.street»
}

case class Address(street: String, city: String) {
  def moved(to: String): Address = copy(city = to) // «Address Address.city»
}
