module Shop
  module Tools
    class Printer
      include Text # «Text»

      def print_one(product)
        shorten(product.name).shout # «Text.shorten Product.name String.shout»
      end

      def all(products)
        products.map { |p| print_one(p) } # «Printer.print_one»
        products.map(&:rename) # «Product.rename»
        Text.shorten('x') # «Text Text.shorten»
        Text::WIDTH # «Text Text.WIDTH»
      end

      alias print_two print_one # «Printer.print_one»
    end
  end
end
