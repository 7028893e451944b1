using Shop.Billing;

namespace Shop.Users;

public class Clerk : Person { // «Person»
    private readonly Till till; // «Till»
    public Clerk(Till till) { this.till = till; } // «Till Clerk.till»
    public Clerk() : this(new Till()) { } // «Till»
    public bool Serve(Payment payment) { return till.Take(payment); } // «Payment Clerk.till Till.Take»
    public string Hello() { return "I am " + Name + base.Street(); } // «Person.Name Person.Street»
    public static Clerk Nobody() { return new Clerk(); } // «Clerk»
    public Clerk Friend() { return Clerk.Nobody(); } // «Clerk Clerk.Nobody»
}
