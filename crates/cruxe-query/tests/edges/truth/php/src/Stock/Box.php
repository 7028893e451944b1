<?php
namespace Shop\Stock;

final class Box extends Item { // «Item»
    use Counted, Tagged { tagged as protected mark; } // «Counted Tagged Tagged.tagged»
    public function touch(): void {
        $this->count(); // «Counted.count»
        $this->tagged('a')->name(); // «Tagged.tagged Item.name»
        $this->tag = 'b'; // «Tagged.tag»
    }
}
