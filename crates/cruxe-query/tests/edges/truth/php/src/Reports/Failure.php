<?php
namespace Shop\Reports;

class Failure extends \RuntimeException {
    private int $number = 1;
    public function code(): int { return $this->number; } // «Failure.number»
    public static function because(string $why): self { return new self($why); }
    public static function fail(): never { throw self::because('x'); } // «Failure.because»
}
