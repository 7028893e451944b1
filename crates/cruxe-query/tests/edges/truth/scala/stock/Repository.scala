package shop.stock

class Repository[T <: Entity] { // «Entity»
  private val all = scala.collection.mutable.Map.empty[Int, T]
  def find(id: Int): T = all(id) // «Repository.all»
  def every: List[T] = all.values.toList // «Repository.all»
  def save(entity: T): Unit = {
    entity.touch() // «Entity.touch»
    all(entity.id) = entity // «Repository.all Entity.id»
  }
}

class Items extends Repository[Item] { // «Repository Item»
  def left(id: Int): Int = find(id).left // «Repository.find Item.left»
  def nameOf(id: Int): String = find(id).product.name // «Repository.find Item.product Product.name»
  def sum: Int = every.map(_.left).sum // «Repository.every Item.left»
}
