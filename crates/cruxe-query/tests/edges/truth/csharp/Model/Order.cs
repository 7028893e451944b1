namespace Shop.Model;

public enum State { Open, Closed }

public record Line(string Name, decimal Price);

public interface IPriced { decimal Total(); }

public abstract class Document {
    protected string title = "";
    public virtual string Describe() { return title; } // «Document.title»
}

public partial class Order : Document, IPriced { // «Document IPriced»
    private readonly List<Line> lines = new(); // «Line»
    public State State { get; set; } = State.Open; // «State.Open Shop.Model.State»
    public Order() : this(State.Open) { } // «State.Open Shop.Model.State»
    public Order(State state) { State = state; } // «Shop.Model.State Order.State»
    public decimal Total() { return Sum(); } // «Order.Sum»
    public class Builder {
        public Order Build() { return new Order(); } // «Order»
    }
}
