<?php
namespace Shop\Reports;

class Daily implements Both { // «Both»
    public function render(): string { return self::KIND . static::class; } // «Report.KIND»
    public function send(): void {}
    public static function make(): Report { return new Daily(); } // «Report Daily»
}
