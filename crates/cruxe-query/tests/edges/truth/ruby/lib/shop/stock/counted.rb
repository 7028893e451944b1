module Shop
  module Stock
    module Counted
      def self.included(base)
        base.extend(ClassMethods) # «Counted::ClassMethods»
      end

      module ClassMethods
        def counted
          @counted ||= 0
        end
      end

      def count_up
        @count = @count.to_i + step # «Counted.step»
      end

      private

      def step
        1
      end
    end

    class Box < Item # «Item»
      include Counted # «Counted»
      extend Counted::ClassMethods # «Counted Counted::ClassMethods»
    end
  end
end
