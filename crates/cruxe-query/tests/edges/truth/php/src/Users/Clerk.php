<?php
namespace Shop\Users;

use Shop\Billing\{Payment, Till}; // «Payment Till»

class Clerk extends Person { // «Person»
    public function __construct(private Till $till) { parent::__construct('clerk'); } // «Till»
    public function serve(Payment $payment): bool { return $this->till->take($payment); } // «Payment Clerk.till Till.take»
    public function hello(): string { return "I am {$this->name}" . parent::street(); } // «Person.name Person.street»
    public static function nobody(): Clerk { return new Clerk(new Till()); } // «Clerk Till»
    public function friend(): Clerk { return Clerk::nobody(); } // «Clerk Clerk.nobody»
    public function other(): string { return self::nobody()->hello(); } // «Clerk.nobody Clerk.hello»
}
