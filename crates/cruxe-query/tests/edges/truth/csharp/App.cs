using Shop.Model;
using Shop.Tools;
using Builder = Shop.Model.Order.Builder; // «Order.Builder -Order»
using static Shop.App.Helper; // «Helper»

namespace Shop.App {
    public static class Helper {
        public static string Format(string text) { return text; }
    }

    class Program {
        static Order Make() { return new Builder().Build(); } // «Order Order.Builder Builder.Build»
        static void Main() {
            var order = Make(); // «Program.Make»
            if (order.IsOpen()) { // «OrderExtensions.IsOpen»
                order.Describe(); // «Order.Describe»
            }
            Make().Total(); // «Program.Make Order.Total»
            Format(order.Describe()); // «Helper.Format Order.Describe»
            switch (order.State) { // «Order.State»
                case State.Closed: break; // «State.Closed Shop.Model.State»
            }
            Func<Order, decimal> f = o => o.Total(); // «Order Order.Total»
            IPriced priced = order; // «IPriced»
            priced.Total(); // «IPriced.Total»
        }
    }
}
