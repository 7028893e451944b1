<?php
namespace Shop\Billing;

use Shop\Catalog\Product; // «Product»

class Invoice {
    private Money $amount; // «Money»
    public function __construct() { $this->amount = Money::zero(); } // «Shop.Billing.Invoice.amount Money Money.zero»
    public function charge(Money|Product $what): Invoice { // «Money Product Shop\Billing\Invoice»
        $this->amount = $this->amount->add(new Money(1)); // «Shop.Billing.Invoice.amount Money.add Money»
        return $this;
    }
    public function show(): string { return $this->amount->currency; } // «Shop.Billing.Invoice.amount Money.currency»
}
