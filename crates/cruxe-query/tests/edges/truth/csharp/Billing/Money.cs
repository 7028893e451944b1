namespace Shop.Billing {
    public record Money(decimal Amount, string Currency) {
        public static readonly Money Zero = new Money(0, "EUR"); // «Money»
        public Money Add(Money other) { return this with { Amount = Amount + other.Amount }; } // «Money Money.Amount»
        public static Money Parse(string text) { return Money.Zero; } // «Money Money.Zero»
    }
}
