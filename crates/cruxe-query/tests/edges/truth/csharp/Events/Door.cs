namespace Shop.Events;

public class Door {
    private readonly Bell bell = new Bell(); // «Bell»
    public void Open() {
        bell.Rung += Answer; // «Door.bell Bell.Rung Door.Answer»
        bell.Ring("door"); // «Door.bell Bell.Ring»
        void Answer2(string who) { Answer(who); } // «Door.Answer»
        Answer2("x");
    }
    private static void Answer(string who) { }
}
