require 'minitest/autorun'
require 'shop/users/clerk'

class ClerkTest < Minitest::Test
  def setup
    @clerk = Shop::Users::Clerk.nobody # «Clerk Clerk.nobody»
  end

  def test_hello
    assert_equal 'I am', @clerk.hello # «Clerk.hello»
    make.street_name # «ClerkTest.make Person.street_name»
  end

  private

  def make
    Shop::Users::Person.new('p') # «Person»
  end
end
