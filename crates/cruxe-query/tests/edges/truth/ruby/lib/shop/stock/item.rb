require_relative 'entity'

module Shop::Stock
  class Item < Entity # «Entity»
    attr_accessor :left, :product

    def initialize(product)
      self.product = product # «Item.product»
      self.left = 0 # «Item.left»
    end

    def touch
      super
      self.left += 1 # «Item.left»
      reset! # «Entity.reset!»
    end

    def product_name
      product.name # «Item.product Product.name»
    end
  end
end
