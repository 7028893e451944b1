module Shop
  class Document
    def initialize(title)
      @title = title
    end

    def describe
      heading # «Document.heading»
    end

    def heading
      @title
    end
  end
end
