module Shop
  module Reports
    class Builder
      def self.field(name, size: 1)
        define_method(name) { size }
      end

      field :width, size: 2 # «Builder.field»

      def build_all(person:, clerk: Users::Clerk.nobody) # «Clerk Clerk.nobody»
        clerk.hello # «Clerk.hello»
        settings = Settings.shared # «Settings Settings.shared»
        settings.stored # «Settings.stored»
        Settings.limit # «Settings Settings.limit»
        Settings.limit = 4 # «Settings Settings.limit»
        yield settings if block_given?
      end
    end
  end
end
