using Shop.Billing;
using Old = Shop.Legacy.Invoice; // «Shop.Legacy.Invoice»

namespace Shop.Import;

public class Importer {
    public Shop.Billing.Invoice Take(Old old) { // «Shop.Billing.Invoice Shop.Legacy.Invoice»
        old.Renumber(); // «Invoice.Renumber»
        var made = new Shop.Billing.Invoice(); // «Shop.Billing.Invoice»
        made.Charge(Money.Parse(old.Number)).Show(); // «Invoice.Charge Money Money.Parse Invoice.Number Invoice.Show»
        return global::Shop.Legacy.Rules.Check(made); // «-Shop.Legacy.Rules Rules.Check»
    }
}
