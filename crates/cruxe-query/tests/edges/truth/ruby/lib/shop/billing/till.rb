module Shop
  module Billing
    class Till
      def take(payment)
        @last = payment
        case payment
        when Card then payment.checked? # «Card Card.checked?»
        when Cash then true # «Cash»
        end
      end

      def demo
        card = Card.new(ZERO, '1') # «Card Billing.ZERO»
        card.pay # «Card.pay»
        card.number = '2' # «-Card.number=»
        take(card) # «Till.take»
        cash = Cash.new # «Cash»
        cash.coins = 3 # «Cash.coins»
        cash.twice # «Payment.twice»
      end
    end
  end
end
