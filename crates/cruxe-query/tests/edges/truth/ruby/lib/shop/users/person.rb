module Shop
  module Users
    class Person
      attr_accessor :nick, :home

      def initialize(nick)
        @nick = nick
      end

      def street_name
        home.street # «Person.home Address.street»
      end

      def method_missing(name, *arguments)
        nick # «Person.nick»
      end

      protected

      def secret
        nick.hash # «Person.nick»
      end
    end

    Address = Data.define(:street, :city) do
      def whole
        "#{street} #{city}" # «Address.street Address.city»
      end
    end
  end
end
