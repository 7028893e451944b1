class Person {
    var name: String {
        didSet { renames += 1 } // «Person.renames»
    }
    private var renames = 0
    lazy var home = Address(street: "a", city: "b") // «Address»
    init(_ name: String) { self.name = name } // «Person.name»
    deinit { renames = 0 } // «Person.renames»
    func street() -> String { home.street } // «Person.home Address.street»
    func rename(_ name: String) { self.name = name } // «Person.name»
}

struct Address {
    var street: String
    var city: String
    var whole: String {
        get { street + city } // «Address.street Address.city»
        set { street = newValue } // «Address.street»
    }
}
