require 'shop/users/person'

module Shop
  module Users
    class Clerk < Person # «Person»
      def initialize(till = Billing::Till.new) # «Till»
        super('clerk')
        @till = till
      end

      def serve(payment)
        @till.take(payment) # «Till.take»
      end

      def hello
        "I am #{nick}" + street_name # «Person.nick Person.street_name»
      end

      def self.nobody
        Clerk.new # «Clerk»
      end

      def friend
        self.class.nobody # «Clerk.nobody»
      end

      def other
        friend.hello # «Clerk.friend Clerk.hello»
      end
    end
  end
end
