module Shop
  module Stock
    class Warehouse
      def initialize
        @items = Items.new # «Items»
      end

      def fill
        @items.save(Item.new(Catalog::Product.free('x'))) # «Repository.save Item Product Product.free»
        @items.left_of(1) # «Items.left_of»
        box = Box.new(nil) # «Box»
        box.count_up # «Counted.count_up»
        box.touch # «Item.touch»
        Box.counted # «Box ClassMethods.counted»
      end
    end
  end
end
