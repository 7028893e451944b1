namespace Shop.Billing;

public class Cash(Money money, int coins) : Payment(money) { // «Money Payment»
    public override bool Pay() => coins > 0;
    public int Coins => coins;
}
