<?php
namespace Shop\Stock;

use Shop\Catalog\{Category, Product}; // «Category Product»

class Item extends Entity { // «Entity»
    public int $left = 0;
    public function __construct(public Product $product) {} // «Product»
    public function touch(): void { parent::touch(); $this->left++; } // «Entity.touch Item.left»
    public function name(): string { return $this->product->name; } // «Item.product Product.name»
    public function label(): string { return $this->product->category->label(); } // «Item.product Product.category Category.label»
    public function isFood(): bool { return $this->product->category === Category::Food; } // «Item.product Product.category Category Category.Food»
}
