module Shop
  module Events
    class Door
      def initialize
        @bell = Bell.new # «Bell»
      end

      def open_door
        @bell.listen(self).ring_for('door') # «Bell.listen Bell.ring_for»
        @bell.listen { |who| answer(who) } # «Bell.listen Door.answer»
        method(:answer) # «Door.answer»
        send(:answer, 'x') # «Door.answer»
      end

      def heard_it(who)
        answer(who) # «Door.answer»
      end

      private

      def answer(who)
        who
      end
    end
  end
end
