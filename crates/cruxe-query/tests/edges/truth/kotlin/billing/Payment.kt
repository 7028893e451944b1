package shop.billing

sealed class Payment(val money: Money) { // «Money»
    abstract fun pay(): Boolean
    open fun show(): String = money.currency // «Payment.money Money.currency»
    fun twice(): Boolean = pay() && this.pay() // «Payment.pay»
}

class Card(money: Money, private val number: String) : Payment(money) { // «Money Payment»
    override fun pay(): Boolean = number.isNotEmpty() // «Card.number»
    override fun show(): String = super.show() + number // «Payment.show Card.number»
}

class Cash(money: Money, val coins: Int) : Payment(money) { // «Money Payment»
    override fun pay(): Boolean = coins > 0 // «Cash.coins»
}

object Nothing : Payment(Money.ZERO) { // «Payment Money Money.ZERO»
    override fun pay(): Boolean = false
}
