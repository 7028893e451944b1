module Shop
  module Stock
    class Entity
      attr_reader :ident

      def touch
        @ident = ident.to_i + 1 # «Entity.ident»
      end

      def reset!
        @ident = nil
      end
    end
  end
end
