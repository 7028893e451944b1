<?php
namespace Shop\Billing;

class Till {
    private ?Payment $last = null; // «Payment»
    public function take(Payment $payment): bool { // «Payment»
        $this->last = $payment;
        if ($payment instanceof Card) { return $payment->pay(); } // «Card Card.pay»
        if ($payment instanceof Cash) { return $payment->coins > 1; } // «Cash Cash.coins»
        return $this->last->pay(); // «Payment.pay»
    }
    public function shown(): ?string { return $this->last?->show(); } // «Payment.show»
    public function last(): ?Payment { return $this->last; } // «Payment»
    public function again(): bool { return $this->last()->pay(); } // «Till.last Payment.pay»
}
