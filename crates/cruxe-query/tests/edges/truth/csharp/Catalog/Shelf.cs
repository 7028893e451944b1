using System.Linq;

namespace Shop.Catalog;

public class Shelf {
    private readonly List<Product> products = new(); // «Product»
    public int Price => 1; // «!Shelf.Price»
    public Product this[int at] => products[at]; // «Product Shelf.products»
    public Product First() { return products[0]; } // «Product Shelf.products»
    public decimal Total() {
        decimal sum = 0;
        foreach (var product in products) { sum += product.Total(); } // «Shelf.products Product.Total»
        return sum;
    }
    public string Label() { return First().Name; } // «Shelf.First Product.Name»
    public decimal Cheapest() { return products.Min(p => p.Price); } // «Shelf.products Product.Price»
    public string Named() { return this[0].Name; } // «Product.Name»
}
