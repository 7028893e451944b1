package shop.legacy

fun check(invoice: shop.billing.Invoice): shop.billing.Invoice { // «shop.billing.Invoice»
    require(!invoice.amount.isZero()) // «shop.billing.Invoice.amount Money.isZero»
    return invoice
}

const val RULE = 1
