require_relative '../lib/shop'

Shop.start # «Shop.start»
puts Shop::VERSION # «Shop.VERSION»
door = Shop::Events::Door.new # «Door»
door.open_door # «Door.open_door»

def helper(door)
  door.heard_it('x') # «Door.heard_it»
end

helper(door) # «helper»
LIST = [door].map { |one| helper(one) } # «helper»
