using Shop.Catalog;
using Shop.Billing;

namespace Shop.Tools;

public static class ProductExtensions {
    public static Money AsMoney(this Product product) { return new Money(product.Price, "EUR"); } // «Money Product Product.Price»
    public static string Text(this Product product) { return product.Name; } // «Product Product.Name»
}
