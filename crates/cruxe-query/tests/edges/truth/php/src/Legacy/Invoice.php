<?php
namespace Shop\Legacy;

class Invoice {
    public string $number = '';
    public function renumber(): Invoice { $this->number = '1'; return new Invoice(); } // «Shop\Legacy\Invoice Invoice.number»
}
