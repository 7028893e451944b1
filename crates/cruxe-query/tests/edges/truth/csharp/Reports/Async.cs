using System.Threading.Tasks;
using Shop.Catalog;

namespace Shop.Reports;

public class Loader {
    public async Task<Product> Load() { await Task.Yield(); return new Product(); } // «Product»
    public async Task<string> Show() {
        var product = await Load(); // «Loader.Load»
        var other = (await Load()).Name; // «Loader.Load Product.Name»
        if (TryLoad(out Product loaded)) return loaded.Name; // «Loader.TryLoad Product Product.Name»
        return product.Name; // «Product.Name»
    }
    private bool TryLoad(out Product product) { product = new Product(); return true; } // «Product»
}
