namespace Shop.Legacy {
    public class Invoice {
        public string Number = "";
        public Invoice Renumber() { Number = "1"; return new Invoice(); } // «Shop.Legacy.Invoice Invoice.Number»
    }
}
