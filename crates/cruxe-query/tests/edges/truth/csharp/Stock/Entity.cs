namespace Shop.Stock;

public interface IEntity { int Id { get; } }

public abstract class Entity : IEntity { // «IEntity»
    public int Id { get; protected set; }
    public virtual void Touch() { Id = Id + 1; } // «Entity.Id»
}
