<?php
use Shop\Model\{Order, Priced, State}; // «Order Priced State»
use function Shop\Tools\isOpen; // «isOpen»

function run(Priced $priced): int { return $priced->total(); } // «Priced Priced.total»

$order = Order::create(); // «Order Order.create»
isOpen($order); // «isOpen»
$order->close()->describe(); // «Order.close Order.describe»
run($order); // «run»
$again = new Order([]); // «Order»
$again->log('x'); // «Loggable.log»
\Shop\Tools\write('x'); // «write»
match ($order->state) { State::Closed => 1, default => 2 }; // «Order.state State State.Closed»
