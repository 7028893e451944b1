namespace Shop.Reports;

public class Mailer {
    public void Mail(IReport report, IStored stored) { // «IReport IStored»
        report.Render(); // «IReport.Render»
        stored.Send(); // «IStored.Send»
        var daily = new Daily(); // «Daily»
        daily.Send(); // «Daily.Send»
        Daily.Make().Render(); // «Daily Daily.Make IReport.Render»
        ((IStored)daily).Send(); // «IStored IStored.Send»
        (report as Daily)?.Send(); // «Daily Daily.Send»
    }
}
