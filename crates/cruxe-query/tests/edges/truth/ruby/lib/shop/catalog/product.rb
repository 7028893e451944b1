require_relative 'category'

module Shop
  module Catalog
    class Product
      include Comparable
      attr_reader :name
      attr_accessor :price

      def initialize(name, price = 0)
        @name = name
        @price = price
        @category = Category::FOOD # «Category Category.FOOD»
      end

      def total
        price + 1 # «Product.price»
      end

      def label
        @category.label # «Category.label»
      end

      def rename(name)
        Product.new(name, price) # «Product Product.price»
      end

      def self.free(name)
        new(name)
      end

      def <=>(other)
        price <=> other.price # «Product.price»
      end
    end
  end
end
