namespace Shop.Catalog;

public class Bundle : Product { // «Product»
    public decimal Discount { get; set; }
    public new decimal Total() { return base.Total() - Discount; } // «Product.Total Bundle.Discount»
    public string Show() { return this.Name + Price; } // «Product.Name Product.Price»
    public static Bundle Of(Product product) { // «Bundle Product»
        return new Bundle { Name = product.Name, Discount = 1 }; // «Bundle Product.Name Bundle.Discount»
    }
}
