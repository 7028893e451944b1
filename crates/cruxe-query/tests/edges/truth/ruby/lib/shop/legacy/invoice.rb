module Shop
  module Legacy
    class Invoice
      attr_accessor :code

      def renumber
        self.code = '1' # «Invoice.code»
        Invoice.new # «Shop::Legacy::Invoice»
      end
    end
  end
end
