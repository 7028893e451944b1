namespace Shop.Billing;

public sealed class Card : Payment { // «Payment»
    private readonly string number;
    public Card(Money money, string number) : base(money) { // «Money»
        this.number = number; // «Card.number»
    }
    public override bool Pay() { return number != ""; } // «Card.number»
    public override string Show() { return base.Show() + number; } // «Payment.Show Card.number»
}
