require 'shop/billing/money'

module Shop
  module Billing
    class Payment
      attr_reader :money

      def initialize(money = ZERO) # «Billing.ZERO»
        @money = money
      end

      def pay
        raise NotImplementedError
      end

      def show_money
        money.currency # «Payment.money Money.currency»
      end

      def twice
        pay && self.pay # «Payment.pay»
      end
    end
  end
end
