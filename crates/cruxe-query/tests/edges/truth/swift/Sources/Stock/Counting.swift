protocol Counting: Identified { // «Identified»
    associatedtype Unit
    static var step: Int { get }
    func count() -> Int
}

extension Counting { // «Counting»
    static var step: Int { 1 }
    func count() -> Int { id + Self.step } // «Identified.id Counting.step»
    func twice() -> Int { count() * 2 } // «Counting.count»
}

extension Item: Counting { // «Item Counting»
    typealias Unit = Int
    func counted() -> Int { twice() + left } // «Counting.twice Item.left»
}
