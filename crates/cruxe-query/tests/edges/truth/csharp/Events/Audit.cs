namespace Shop.Events;

[AttributeUsage(AttributeTargets.Class)]
public class AuditedAttribute : Attribute {
    public int Level { get; set; }
}

[Audited(Level = 2)] // «AuditedAttribute AuditedAttribute.Level»
public class Vault {
    [Audited] // «AuditedAttribute»
    public void Open() { } // «!Vault.Open»
}
