namespace Shop.Stock;

public class Warehouse {
    private readonly Repository<Item> items = new Repository<Item>(); // «Repository Item»
    public Items Own { get; } = new Items(); // «Items»
    public void Fill() {
        items.Save(new Item()); // «Warehouse.items Repository.Save Item»
        items.Find(1).Touch(); // «Warehouse.items Repository.Find Item.Touch»
        Own.Find(1).Product.Total(); // «Warehouse.Own Repository.Find Item.Product Product.Total»
        Own.Left(2); // «Warehouse.Own Items.Left»
    }
}
