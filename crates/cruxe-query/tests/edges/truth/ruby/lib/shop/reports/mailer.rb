module Shop
  module Reports
    class Mailer
      def mail
        daily = Daily.new # «Daily»
        daily.send_off # «Daily.send_off»
        daily.render # «Report.render»
        Daily.build.render # «Daily Report.build Report.render»
        daily&.send_off # «Daily.send_off»
        section = Daily::Section.new # «Daily Daily::Section»
        section.heading_of # «Section.heading_of»
        Daily::KIND # «Daily Report.KIND»
      rescue Failure => failure # «Failure»
        failure.reason # «Failure.reason»
      end
    end
  end
end
