<?php
namespace Shop\Stock;

use Shop\Catalog\Product; // «Product»

class Warehouse {
    private Items $own; // «Items»
    public function __construct(private Repository $items) { // «Repository»
        $this->own = new Items(); // «Warehouse.own Items»
    }
    public function fill(): void {
        $item = new Item(new Product('x')); // «Item Product»
        $item->product->total(); // «Item.product Product.total»
        $this->items->save($item); // «Warehouse.items Repository.save»
        $this->items->find(1)->touch(); // «Warehouse.items Repository.find Entity.touch»
        $this->own->left(2); // «Warehouse.own Items.left»
        (new Item(new Product('y')))->touch(); // «Item Product Item.touch»
    }
}
