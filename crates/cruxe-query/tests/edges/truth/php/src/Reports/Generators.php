<?php
namespace Shop\Reports;

use Shop\Users\Person; // «Person»

final class Generators {
    private const STEP = 2;
    private static int $runs = 0;
    public function people(): iterable { yield new Person('a'); } // «Person»
    public function run(): int {
        try {
            self::$runs += self::STEP; // «Generators.runs Generators.STEP»
            return Generators::$runs; // «Generators Generators.runs»
        } catch (Failure | \RuntimeException $failure) { // «Failure»
            return $failure->code(); // «Failure.code»
        }
    }
}
