package shop.stock

class Items : Repository<Item>() { // «Repository Item»
    fun left(id: Int): Int = find(id).left // «Repository.find Item.left»
    fun name(id: Int): String = find(id).product.name // «Repository.find Item.product Product.name»
    fun sum(): Int {
        var sum = 0
        for (item in every()) sum += item.left // «Repository.every Item.left»
        return sum
    }
}
