namespace Shop.Catalog;

public class Product {
    public string Name { get; init; } = "";
    public decimal Price { get; set; }
    public Category Category { get; set; } = Category.Food; // «Shop.Catalog.Category Category.Food»
    public decimal Total() { return Price; } // «Product.Price»
    public static Product Free(string name) {  // «Product»
        return new Product { Name = name, Price = 0 }; // «Product Product.Name Product.Price»
    }
}
