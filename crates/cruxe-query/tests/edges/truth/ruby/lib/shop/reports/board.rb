module Shop
  module Reports
    module Countable
      def self.included(base)
        base.extend(ClassMethods) # «ClassMethods»
      end

      module ClassMethods
        def counted_by(name); end
      end

      def count_up
        bump_counter # «Board.bump_counter»
      end
    end

    class PinError < StandardError
      attr_reader :pin_reason
    end

    class Pinner
      def pin_it; end

      def pins; end
    end

    class Board
      include Countable # «Countable»

      attr_reader :pinner
      delegate :pins, to: :pinner # «Board.pinner»
      counted_by :pins # «ClassMethods.counted_by Board.pins»

      def initialize
        @pinner = Pinner.new # «Pinner»
      end

      def bump_counter
        @pinner.pin_it # «Pinner.pin_it»
        pinner.pin_it # «Board.pinner Pinner.pin_it»
      rescue PinError => problem # «PinError»
        problem.pin_reason # «PinError.pin_reason»
      end
    end
  end
end
