<?php
namespace Shop\Reports;

use Shop\Catalog\{Category, Product}; // «Category Product»
use Shop\Stock\Item; // «Item»

class Queries {
    public function run(Item $item, ?Product $maybe, Item|Product $either): string { // «Item Product»
        [$first, $second] = [$item, $maybe];
        $touch = function () use ($item) { $item->touch(); }; // «Item.touch»
        $arrow = fn() => $item->left; // «Item.left»
        $name = $maybe?->name ?? Category::of('x')->label(); // «Product.name Category Category.of Category.label»
        $made = Product::free('x')->rename('y')->total(); // «Product Product.free Product.rename Product.total»
        static $cached;
        return match (true) {
            $item->product->category === Category::Main => $name, // «Item.product Product.category Category Category.Main»
            default => "{$item->product->name} $item->left", // «Item.product Product.name Item.left»
        };
    }
}
