module Shop
  # Everything here has a name that something else has as well, and nobody uses it.
  class Decoy
    attr_reader :price # «!Decoy.price»
    ZERO = 1 # «!Decoy.ZERO»

    def total # «!Decoy.total»
      2
    end

    def pay # «!Decoy.pay»
    end

    def touch # «!Decoy.touch»
    end

    def self.of(text) # «!Decoy.of»
      text
    end
  end
end
