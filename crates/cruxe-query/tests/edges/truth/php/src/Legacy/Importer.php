<?php
namespace Shop\Legacy;

use Shop\Billing\Invoice as Fresh; // «Shop\Billing\Invoice»
use Shop\Billing\Money; // «Money»

class Importer {
    public function take(Invoice $old): Fresh { // «Shop\Legacy\Invoice Shop\Billing\Invoice»
        $old->renumber(); // «Invoice.renumber»
        $made = new Fresh(); // «Shop\Billing\Invoice»
        $made->charge(Money::parse($old->number))->show(); // «Invoice.charge Money Money.parse Invoice.number Invoice.show»
        return check($made); // «check»
    }
    public function whole(): \Shop\Billing\Invoice { return new \Shop\Billing\Invoice(); } // «Shop\Billing\Invoice»
    public function relative(): Invoice { return new namespace\Invoice(); } // «Shop\Legacy\Invoice»
}
