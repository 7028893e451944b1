namespace Shop.Stock;

using Shop.Catalog;

public class Item : Entity { // «Entity»
    public int Stock;
    public Product Product = Product.Free("x"); // «Shop.Catalog.Product Product.Free»
    public override void Touch() { base.Touch(); Stock++; } // «Entity.Touch Item.Stock»
}
