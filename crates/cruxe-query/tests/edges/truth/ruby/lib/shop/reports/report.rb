module Shop
  module Reports
    class Report
      KIND = 'report'.freeze

      def render
        title + KIND # «Report.KIND»
      end

      def self.build(*arguments)
        new(*arguments)
      end
    end
  end
end
