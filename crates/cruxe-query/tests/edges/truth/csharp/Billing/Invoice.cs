namespace Shop.Billing {
    using Shop.Catalog;

    public class Invoice {
        public Money Amount { get; private set; } = Money.Zero; // «Money Money.Zero»
        public Invoice Charge(Money money) { // «Shop.Billing.Invoice Money»
            Amount = Amount.Add(money); // «Invoice.Amount Money.Add»
            return this;
        }
        public Invoice Charge(Product product) { // «Shop.Billing.Invoice Product»
            return Charge(new Money(product.Price, "EUR")); // «Invoice.Charge Money Product.Price»
        }
        public string Show() { return Amount.Currency; } // «Invoice.Amount Money.Currency»
    }
}
