namespace Shop.Model;

public partial class Order {
    private decimal Sum() {
        decimal sum = 0;
        foreach (var line in lines) { sum += line.Price; } // «Order.lines Line.Price»
        return sum;
    }
    public override string Describe() { return base.Describe() + Total(); } // «Document.Describe Order.Total»
}
