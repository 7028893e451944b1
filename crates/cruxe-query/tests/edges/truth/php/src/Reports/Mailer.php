<?php
namespace Shop\Reports;

class Mailer {
    public function mail(Report $report, Stored $stored, Both $both): void { // «Report Stored Both»
        $report->render(); // «Report.render»
        $stored->send(); // «Stored.send»
        $both->send(); // «Stored.send»
        $daily = new Daily(); // «Daily»
        $daily->send(); // «Daily.send»
        Daily::make()->render(); // «Daily Daily.make Report.render»
        $copy = clone $daily;
        $copy->send(); // «Daily.send»
        echo Daily::KIND, Daily::class; // «Daily Report.KIND»
    }
}
