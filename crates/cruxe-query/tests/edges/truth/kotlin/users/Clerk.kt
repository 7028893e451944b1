package shop.users

import shop.billing.Payment // «Payment»
import shop.billing.Till // «Till»

class Clerk(private val till: Till) : Person("clerk") { // «Till Person»
    fun serve(payment: Payment): Boolean = till.take(payment) // «Payment Clerk.till Till.take»
    fun hello(): String = "I am $name of ${super.street()}" // «Person.name Person.street»
    fun friend(): Clerk = nobody() // «Clerk Clerk.nobody»
    fun other(): Clerk = Clerk.nobody() // «Clerk Clerk.nobody»
    companion object {
        fun nobody(): Clerk = Clerk(Till()) // «Clerk Till»
    }
}
