struct Command {
    let clerk = Clerk.nobody() // «Clerk Clerk.nobody»
    func start() {
        let mailer = Mailer() // «Mailer»
        mailer.mail(report: Daily(), stored: Daily()) // «Mailer.mail Daily»
        clerk.friend().rename("z") // «Command.clerk Clerk.friend Person.rename»
        Outer.shared.sum() // «Outer Outer.shared Outer.sum»
        let shelf = Shelf() // «Shelf»
        shelf.find("x")?.sum() // «Shelf.find Product.sum»
        shelf[0].sum() // «Product.sum»
        var category: Category = .tools // «Category Category.tools»
        category = .food // «Category.food»
        if category == .tools { return } // «Category.tools»
        use(.food) // «Command.use Category.food»
    }
    func use(_ category: Category) {} // «Category»
}
