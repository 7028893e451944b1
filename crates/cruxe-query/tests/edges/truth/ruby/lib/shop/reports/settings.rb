module Shop
  module Reports
    class Settings
      @@shared = nil
      @limit = 3

      class << self
        attr_accessor :limit

        def shared
          @@shared ||= new
        end

        def twice_limit
          limit * 2 # «Settings.limit»
        end
      end

      def [](key)
        stored[key] # «Settings.stored»
      end

      def stored
        @stored ||= {}
      end
    end
  end
end
