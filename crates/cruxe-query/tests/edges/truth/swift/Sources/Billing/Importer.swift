struct Importer {
    func take(old: Invoice.Legacy.Invoice) -> Invoice { // «Invoice Invoice.Legacy Legacy.Invoice»
        let made = Invoice() // «Invoice»
        made.charge(Money.parse(old.number)).show() // «Invoice.charge Money Money.parse Invoice.number Invoice.show»
        _ = Invoice.Legacy.renumber(old) // «Invoice Invoice.Legacy Legacy.renumber»
        return check(made) // «check»
    }
}

func check(_ invoice: Invoice) -> Invoice { // «Invoice»
    guard !invoice.amount.isZero() else { return invoice } // «Invoice.amount Money.isZero»
    return invoice
}
