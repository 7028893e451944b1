require_relative 'document'
require_relative 'loggable'

module Shop
  class Order < Document # «Document»
    include Loggable # «Loggable»
    LIMIT = 10
    attr_accessor :state

    def self.create(lines = []) # no use
      new(lines)
    end

    def initialize(lines)
      super('order')
      @lines = lines
      log('new') # «Loggable.log»
    end

    def total
      sum + LIMIT # «Order.sum Order.LIMIT»
    end

    def describe
      super + total.to_s # «Order.total»
    end

    private

    def sum
      @lines.sum
    end
  end
end
