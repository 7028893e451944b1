module Shop
  module Reports
    class Daily < Report # «Report»
      def title
        'daily'
      end

      def send_off
        render # «Report.render»
      end

      class Section
        def heading_of
          KIND + Daily.name # «Report.KIND Daily»
        end
      end

      def sections
        [Section.new] # «Daily::Section»
      end
    end
  end
end
