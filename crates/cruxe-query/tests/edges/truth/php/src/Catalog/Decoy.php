<?php
namespace Shop\Catalog;

// Everything here has a name that something else has as well, and nobody uses it.
class Decoy {
    public string $name = ''; // «!Decoy.name»
    public int $left = 0; // «!Decoy.left»
    public function total(): int { return 2; } // «!Decoy.total»
    public function pay(): void {} // «!Decoy.pay»
    public function send(): void {} // «!Decoy.send»
    public function touch(): void {} // «!Decoy.touch»
    public static function of(string $text): void {} // «!Decoy.of»
    const Zero = 1; // «!Decoy.Zero»
}

function format(string $text): string { return $text; } // «!Shop\Catalog\format»
