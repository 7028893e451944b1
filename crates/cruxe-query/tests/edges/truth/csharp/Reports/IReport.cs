namespace Shop.Reports;

public interface IReport {
    string Title { get; }
    string Render() { return Title; } // «IReport.Title»
}

public interface IStored { void Send(); }
