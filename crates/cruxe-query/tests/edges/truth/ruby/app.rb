require 'shop/order'

order = Shop::Order.create # «Order Order.create»
order.describe # «Order.describe»
order.state = :open # «Order.state»
puts order.total # «Order.total»
puts Shop::Order::LIMIT # «Order Order.LIMIT»
Shop::Out.put(order.state) # «Out Out.put Order.state»
other = Shop::Document.new('x') # «Document»
other.heading # «Document.heading»
