<?php
namespace Shop\Tools;

use Shop\Catalog\Product; // «Product»
use function Shop\Tools\Text\{format, money as asMoney}; // «Text\format Text\money»
use const Shop\Tools\Text\WIDTH; // «Text\WIDTH»
use Shop\Tools\Text as T;

class Printer {
    public function print(Product $product): string { // «Product»
        return format($product->name) . WIDTH; // «Text\format Product.name Text\WIDTH»
    }
    public function all(): string { return T\format('x') . asMoney(\Shop\Billing\Money::zero()); } // «Text\format Text\money Money Money.zero»
    public function names(Product ...$all): array { // «Product»
        return array_map(fn(Product $p) => $p->name, $all); // «Product Product.name»
    }
    public function bound(): callable { return $this->print(...); } // «Printer.print»
}
