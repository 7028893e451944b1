package shop.billing

data class Money(val amount: Int, val currency: String) {
    operator fun plus(other: Money): Money = copy(amount = amount + other.amount) // «Money Money.amount»
    fun isZero(): Boolean = this == ZERO // «Money.ZERO»
    companion object {
        val ZERO = Money(0, "EUR") // «Money»
        @JvmStatic
        fun parse(text: String): Money = Money.ZERO // «Money Money.ZERO»
    }
}
