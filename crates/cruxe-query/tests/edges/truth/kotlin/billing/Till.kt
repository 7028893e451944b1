package shop.billing

class Till {
    private var last: Payment? = null // «Payment»
    fun take(payment: Payment): Boolean { // «Payment»
        last = payment // «Till.last»
        return when (payment) {
            is Card -> payment.pay() // «Card Card.pay»
            is Cash -> payment.coins > 1 // «Cash Cash.coins»
            Nothing -> false // «shop.billing.Nothing»
        }
    }
    fun shown(): String? = last?.show() // «Till.last Payment.show»
    fun again() { last?.let { it.pay() } } // «Till.last Payment.pay»
    fun more() { last?.let { one -> one.pay() } } // «Till.last Payment.pay»
}
