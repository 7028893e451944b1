struct Places {
    let people: [Person] // «Person»
    func cities() -> [String] { people.map { $0.home.city } } // «Places.people Person.home Address.city»
    func byName() -> [String: Person] { [:] } // «Person»
    func streetOf(_ name: String) -> String? { byName()[name]?.home.street } // «Places.byName Person.home Address.street»
    func pair() -> (owner: Person, place: Address) { (people[0], people[0].home) } // «Person Address Places.people Person.home»
    func show() -> String {
        let (owner, place) = pair() // «Places.pair»
        return owner.name + place.city + pair().owner.name // «Person.name Address.city Places.pair»
    }
}
