<?php
namespace Shop\Billing;

abstract class Payment {
    protected Money $money; // «Money»
    public function __construct(Money $money) { $this->money = $money; } // «Money Payment.money»
    abstract public function pay(): bool;
    public function show(): string { return $this->money->currency; } // «Payment.money Money.currency»
    public function twice(): bool { return $this->pay() && $this->pay(); } // «Payment.pay»
}
