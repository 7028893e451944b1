<?php
namespace Shop\Billing;

final class Money {
    const EURO = 'EUR';
    private static ?Money $zero = null; // «Money»
    public function __construct(public readonly int $amount, public readonly string $currency = self::EURO) {} // «Money.EURO»
    public function add(Money $other): Money { return new Money($this->amount + $other->amount); } // «Money Money.amount»
    public static function zero(): Money { return self::$zero ??= new Money(0); } // «Money»
    public static function parse(string $text): self { return static::zero(); } // «Money.zero»
}
