<?php
namespace Shop\Billing;

final class Card extends Payment { // «Payment»
    private string $number = '';
    public function __construct(Money $money, string $number) { // «Money»
        parent::__construct($money);
        $this->number = $number; // «Card.number»
    }
    public function pay(): bool { return $this->number !== ''; } // «Card.number»
    public function show(): string { return parent::show() . $this->number; } // «Payment.show Card.number»
}
