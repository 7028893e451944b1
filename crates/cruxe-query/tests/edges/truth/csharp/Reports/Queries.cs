using System.Linq;
using Shop.Catalog;
using Shop.Stock;

namespace Shop.Reports;

public class Queries {
    private readonly List<Item> items = new(); // «Item»
    public void Run(Func<Product, bool> wanted) { // «Product»
        var some = items.Where(item => item.Stock > 0); // «Queries.items Item.Stock»
        var names = items.Select(i => i.Product.Name); // «Queries.items Item.Product Product.Name»
        var late = from entry in items where entry.Stock < 3 select entry.Product; // «Queries.items Item.Stock Item.Product»
        items.ForEach(x => x.Touch()); // «Queries.items Item.Touch»
        items.First(y => wanted(y.Product)).Touch(); // «Queries.items Item.Product Item.Touch»
        Each(z => z.Touch()); // «Queries.Each Item.Touch»
    }
    private void Each(Action<Item> action) { foreach (Item one in items) action(one); } // «Item Queries.items»
}
