using static Shop.Catalog.Category; // «Shop.Catalog.Category»

namespace Shop.Catalog;

public static class Labels {
    public static string Of(Category category) { // «Shop.Catalog.Category»
        return category switch {
            Food => "food", // «Category.Food»
            Category.Tools => "tools", // «Shop.Catalog.Category Category.Tools»
            Books => "books", // «Category.Books»
            _ => nameof(Category), // «Shop.Catalog.Category»
        };
    }
    public static string Both(Product product) { return Labels.Of(product.Category); } // «Product Labels Labels.Of Product.Category»
}
