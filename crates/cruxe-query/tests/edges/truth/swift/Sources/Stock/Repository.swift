class Repository<T: Entity> { // «Entity»
    private var all: [Int: T] = [:]
    func find(_ id: Int) -> T { all[id]! } // «Repository.all»
    func every() -> [T] { Array(all.values) } // «Repository.all»
    func save(_ entity: T) {
        entity.touch() // «Entity.touch»
        all[entity.id] = entity // «Repository.all Entity.id»
    }
}

class Items: Repository<Item> { // «Repository Item»
    func left(_ id: Int) -> Int { find(id).left } // «Repository.find Item.left»
    func sum() -> Int {
        var sum = 0
        for item in every() { sum += item.left } // «Repository.every Item.left»
        return sum
    }
}
