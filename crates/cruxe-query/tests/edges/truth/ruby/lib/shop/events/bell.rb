module Shop
  module Events
    class Bell
      def initialize
        @listeners = []
      end

      def listen(listener = nil, &block)
        @listeners << (listener || block)
        self
      end

      def ring_for(who)
        @listeners.each { |listener| listener.heard_it(who) } # «Door.heard_it»
      end
    end
  end
end
