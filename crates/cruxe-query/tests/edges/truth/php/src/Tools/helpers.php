<?php
namespace Shop\Tools;

use Shop\Model\Order as Purchase; // «Order»

trait Loggable {
    public function log(string $text): void { write($text); } // «write»
}

function write(string $text): void { echo $text; }

function isOpen(Purchase $order): bool { return $order->total() > 0; } // «Order Order.total»
