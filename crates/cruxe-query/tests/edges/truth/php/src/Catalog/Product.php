<?php
namespace Shop\Catalog;

class Product {
    public Category $category = Category::Food; // «Category Category.Food»
    public function __construct(public readonly string $name, protected int $price = 0) {}
    public function total(): int { return $this->price; } // «Product.price»
    public function rename(string $name): self { return new self($name, $this->price); } // «Product.price»
    public static function free(string $name): static { return new static($name); }
}
