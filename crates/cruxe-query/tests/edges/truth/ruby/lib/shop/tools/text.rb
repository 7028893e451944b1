module Shop
  module Tools
    module Text
      WIDTH = 80

      module_function

      def shorten(text)
        text[0, WIDTH] # «Text.WIDTH»
      end

      def money_text(money)
        shorten(money.currency) # «Text.shorten Money.currency»
      end
    end
  end
end
