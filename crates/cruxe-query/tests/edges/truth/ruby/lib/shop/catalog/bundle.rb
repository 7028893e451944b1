require_relative 'product'

module Shop
  module Catalog
    class Bundle < Product # «Product»
      def initialize(name, parts)
        super(name)
        @parts = parts
      end

      def total
        super + parts_total # «Bundle.parts_total»
      end

      def show
        "#{name} #{self.price} #{total}" # «Product.name Product.price Bundle.total»
      end

      private

      def parts_total
        @parts.sum { |part| part.price_of }
      end
    end
  end
end
