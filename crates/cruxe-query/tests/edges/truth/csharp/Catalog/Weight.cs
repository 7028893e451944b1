namespace Shop.Catalog;

public readonly record struct Weight(decimal Grams) {
    public static Weight operator +(Weight a, Weight b) { return new Weight(a.Grams + b.Grams); } // «Weight Weight.Grams»
    public Weight Twice() { return this + this; } // «Weight»
    public Weight Light() { return this with { Grams = 1 }; } // «Weight Weight.Grams»
}
