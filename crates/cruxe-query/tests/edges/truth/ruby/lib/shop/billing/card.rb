require_relative 'payment'

module Shop
  module Billing
    class Card < Payment # «Payment»
      def initialize(money, number)
        super(money)
        @number = number
      end

      def pay
        checked? && !show_money.empty? # «Card.checked? Payment.show_money»
      end

      def checked?
        !@number.nil?
      end

      def number=(value)
        @number = value
      end
    end

    class Cash < Payment # «Payment»
      attr_writer :coins

      def pay
        true
      end
    end
  end
end
