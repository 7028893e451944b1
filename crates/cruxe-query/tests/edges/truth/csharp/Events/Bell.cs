namespace Shop.Events;

public delegate void Ringing(string who);

public class Bell {
    public event Ringing? Rung; // «Ringing»
    public void Ring(string who) { Rung?.Invoke(who); } // «Bell.Rung»
    private void Log(string who) { }
    public Bell() { Rung += Log; } // «Bell.Rung Bell.Log»
}
