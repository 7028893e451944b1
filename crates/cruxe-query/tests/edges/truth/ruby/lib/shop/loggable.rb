module Shop
  module Loggable
    def log(text)
      Shop::Out.put(text) # «Out Out.put»
    end
  end

  module Out
    def self.put(text)
      puts text
    end
  end
end
