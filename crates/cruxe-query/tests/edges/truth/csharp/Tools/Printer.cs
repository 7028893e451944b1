using Shop.Catalog;

namespace Shop.Tools;

public class Printer {
    public string Print(Product product) { // «Product»
        if (product.Name.IsEmpty()) return ""; // «Product.Name MoneyExtensions.IsEmpty»
        return product.Text() + product.AsMoney().Text(); // «ProductExtensions.Text ProductExtensions.AsMoney MoneyExtensions.Text»
    }
    public string Static(Product product) { return ProductExtensions.Text(product); } // «Product ProductExtensions ProductExtensions.Text»
}
