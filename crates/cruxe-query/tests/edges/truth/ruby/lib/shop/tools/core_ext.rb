class String
  def shout
    upcase + '!'
  end
end

module Shop
  module Refined
    refine String do
      def whisper
        downcase.shout # «String.shout»
      end
    end
  end
end
