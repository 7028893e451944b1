using Shop.Catalog;
using Shop.Users;

namespace Shop.Reports;

public class Pairs {
    public (Product Product, Person Owner) Pair() { return (new Product(), new Person()); } // «Shop.Catalog.Product Person»
    public string Show() {
        var (product, owner) = Pair(); // «Pairs.Pair»
        var pair = Pair(); // «Pairs.Pair»
        return product.Name + owner.Name + pair.Owner.Name; // «Product.Name -Person.Name»
    }
    public Type Kind() { return typeof(Product); } // «Shop.Catalog.Product»
    public Product[] Both(Product a) { return new[] { a, new Product() }; } // «Shop.Catalog.Product»
    public string FirstOf(Product[] all) { return all[0].Name; } // «Shop.Catalog.Product Product.Name»
}
