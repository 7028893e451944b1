module Shop
  module Reports
    class Failure < StandardError
      attr_reader :reason

      def initialize(reason)
        super
        @reason = reason
      end
    end

    def self.fail_with(reason)
      raise Failure.new(reason) # «Failure»
    end
  end
end
