namespace Shop.Stock;

public class Repository<T> where T : Entity { // «Entity»
    private readonly Dictionary<int, T> all = new();
    public T Find(int id) { return all[id]; } // «Repository.all»
    public IEnumerable<T> All() { return all.Values; } // «Repository.all»
    public void Save(T entity) {
        entity.Touch(); // «Entity.Touch»
        all[entity.Id] = entity; // «Repository.all Entity.Id»
    }
}
