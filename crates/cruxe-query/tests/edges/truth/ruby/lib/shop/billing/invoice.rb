module Shop
  module Billing
    class Invoice
      def initialize
        @amount = ZERO # «Billing.ZERO»
      end

      def charge(money)
        @amount = @amount.plus(money) # «Money.plus»
        self
      end

      def show_invoice
        @amount.currency # «Money.currency»
      end

      def self.start
        Invoice.new # «Shop::Billing::Invoice»
      end
    end
  end
end
