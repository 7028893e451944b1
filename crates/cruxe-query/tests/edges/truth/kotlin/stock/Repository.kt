package shop.stock

open class Repository<T : Entity> { // «Entity»
    private val all = HashMap<Int, T>()
    fun find(id: Int): T = all.getValue(id) // «Repository.all»
    fun every(): List<T> = all.values.toList() // «Repository.all»
    fun save(entity: T) {
        entity.touch() // «Entity.touch»
        all[entity.id] = entity // «Repository.all Entity.id»
    }
}
