using Shop.Model;

namespace Shop.Tools;

public static class OrderExtensions {
    public static bool IsOpen(this Order order) { // «Order»
        return order.State == State.Open; // «Order.State State.Open Shop.Model.State»
    }
}
