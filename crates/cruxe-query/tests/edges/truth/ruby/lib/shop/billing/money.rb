module Shop
  module Billing
    Money = Struct.new(:amount, :currency) do
      def plus(other)
        Money.new(amount + other.amount, currency) # «Money Money.amount Money.currency»
      end

      def self.parse(text)
        ZERO # «Billing.ZERO»
      end
    end

    ZERO = Money.new(0, 'EUR') # «Money»
  end
end
