require 'shop/order'
require 'shop/reports/mailer'
require_relative 'shop/users/clerk'

module Shop
  autoload :Decoy, 'shop/catalog/decoy' # «Decoy»
  VERSION = '1.0'

  def self.version
    VERSION # «Shop.VERSION»
  end

  def self.start
    clerk = Users::Clerk.new # «Clerk»
    clerk.serve(Billing::Card.new(nil, nil)) # «Clerk.serve Card»
    clerk.nick = 'x' # «Person.nick»
    version # «Shop.version»
    Reports::Mailer.new.mail # «Mailer Mailer.mail»
    Reports.fail_with('end') # «Reports.fail_with»
  end
end
