<?php
namespace Shop\Legacy;

use Shop\Billing; 

const RULE = 1;

function check(Billing\Invoice $invoice): Billing\Invoice { // «Shop\Billing\Invoice»
    if (RULE > 0) { $invoice->show(); } // «RULE Invoice.show»
    return $invoice;
}
