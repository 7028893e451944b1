namespace Shop.Catalog;

// Everything here has a name that something else has as well, and nobody uses it.
public class Decoy {
    public string Name = "";
    public decimal Discount;
    public string First() { return Name; } // «Decoy.Name»
    public void Total() { } // «!Decoy.Total»
    public void Send() { } // «!Decoy.Send»
    public void Find() { } // «!Decoy.Find»
    public void Pay() { } // «!Decoy.Pay»
    public int Amount; // «!Decoy.Amount»
    public int Stock; // «!Decoy.Stock»
    public class Node { } // «!Decoy.Node»
}
