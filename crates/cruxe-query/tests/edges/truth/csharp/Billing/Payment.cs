namespace Shop.Billing;

public abstract class Payment {
    protected Payment(Money money) { Money = money; } // «Shop.Billing.Money Payment.Money»
    public Money Money { get; } // «Shop.Billing.Money»
    public abstract bool Pay();
    public virtual string Show() { return Money.Currency; } // «Payment.Money Money.Currency»
    public bool Twice() { return Pay() && this.Pay(); } // «Payment.Pay»
}
