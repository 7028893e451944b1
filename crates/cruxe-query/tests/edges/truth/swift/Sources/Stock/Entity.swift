protocol Identified { var id: Int { get } }

class Entity: Identified { // «Identified»
    var id = 0
    func touch() { id += 1 } // «Entity.id»
}
