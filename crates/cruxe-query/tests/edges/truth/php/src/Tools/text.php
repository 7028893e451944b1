<?php
namespace Shop\Tools\Text;

use Shop\Billing\Money; // «Money»

const WIDTH = 80;

function format(string $text): string { return substr($text, 0, WIDTH); } // «Text\WIDTH»

function money(Money $money): string { return format($money->currency); } // «Money Text\format Money.currency»
