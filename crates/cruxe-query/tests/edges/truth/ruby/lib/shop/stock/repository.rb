module Shop::Stock
  class Repository
    include Enumerable

    def initialize
      @all = {}
    end

    def save(entity)
      entity.touch
      @all[entity.ident] = entity # «Entity.ident»
    end

    def find_one(id)
      @all[id]
    end

    def each(&block)
      @all.each_value(&block)
    end
  end

  class Items < Repository # «Repository»
    def left_of(id)
      find_one(id).left # «Repository.find_one Item.left»
    end
  end
end
