module Shop
  module Catalog
    class Category
      attr_reader :label

      def initialize(label)
        @label = label
      end

      FOOD = new('food')
      TOOLS = Category.new('tools') # «Category»

      def self.of(text)
        text == 'food' ? FOOD : TOOLS # «Category.FOOD Category.TOOLS»
      end
    end

    class Shade
      FOOD = 1 # «!Shade.FOOD»
    end
  end
end
