namespace Shop.Legacy {
    public static class Rules {
        public static Shop.Billing.Invoice Check(Shop.Billing.Invoice invoice) { // «Shop.Billing.Invoice»
            Invoice old = new(); // «Shop.Legacy.Invoice»
            old.Renumber(); // «Invoice.Renumber»
            return invoice;
        }
    }
}
