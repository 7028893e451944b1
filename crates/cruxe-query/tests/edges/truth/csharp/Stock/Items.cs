namespace Shop.Stock;

public class Items : Repository<Item> { // «Repository Item»
    public int Left(int id) { return Find(id).Stock; } // «Repository.Find Item.Stock»
    public string Name(int id) { return Find(id).Product.Name; } // «Repository.Find Item.Product Product.Name»
    public int Sum() {
        var sum = 0;
        foreach (var item in All()) { sum += item.Stock; } // «Repository.All Item.Stock»
        return sum;
    }
}
