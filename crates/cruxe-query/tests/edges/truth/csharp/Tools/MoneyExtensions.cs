using Shop.Billing;

namespace Shop.Tools;

public static class MoneyExtensions {
    public static string Text(this Money money) { return money.Currency; } // «Money Money.Currency»
    public static bool IsEmpty(this string text) { return text.Length == 0; }
}
