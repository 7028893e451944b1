namespace Shop.Reports;

public class Daily : IReport, IStored { // «IReport IStored»
    public string Title => "daily";
    public void Send() { }
    void IStored.Send() { Send(); } // «IStored Daily.Send»
    public static IReport Make() { return new Daily(); } // «IReport Daily»
}
