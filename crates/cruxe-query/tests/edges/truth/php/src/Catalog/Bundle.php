<?php
namespace Shop\Catalog;

class Bundle extends Product { // «Product»
    /** @var Product[] */
    private array $parts = [];
    public function total(): int {
        $sum = parent::total(); // «Product.total»
        foreach ($this->parts as $part) { $sum += $part->total(); } // «Bundle.parts Product.total»
        return $sum;
    }
    public function add(Product $part): static { $this->parts[] = $part; return $this; } // «Product Bundle.parts»
    public function first(): Product { return $this->parts[0]; } // «Product Bundle.parts»
    public function label(): string { return $this->first()->name . $this->name; } // «Bundle.first Product.name»
}
