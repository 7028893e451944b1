<?php
namespace Shop\Billing;

class Cash extends Payment { // «Payment»
    public int $coins = 0;
    public function pay(): bool { return $this->coins > 0; } // «Cash.coins»
}
