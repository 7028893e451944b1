namespace Shop.Billing;

public class Till {
    private Payment? last; // «Payment»
    public bool Take(Payment payment) { // «Payment»
        last = payment; // «Till.last»
        if (payment is Card card && card.Pay()) return true; // «Card Card.Pay»
        if (payment is Cash { Coins: > 0 } cash) return cash.Pay(); // «Cash Cash.Coins Cash.Pay»
        return last.Pay(); // «Till.last Payment.Pay»
    }
    public string? Shown() => last?.Show(); // «Till.last Payment.Show»
}
