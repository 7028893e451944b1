module Shop
  module Legacy
    class Importer
      def take
        old = Invoice.new # «Shop::Legacy::Invoice»
        old.renumber # «Invoice.renumber»
        made = Billing::Invoice.new # «Shop::Billing::Invoice»
        made.charge(Billing::Money.parse(old.code)) # «Invoice.charge Money Money.parse Invoice.code»
        made.show_invoice # «Invoice.show_invoice»
        Shop::Legacy.check(made) # «Legacy.check»
      end

      def other
        ::Shop::Billing::Invoice.start # «Shop::Billing::Invoice Invoice.start»
      end
    end
  end
end
