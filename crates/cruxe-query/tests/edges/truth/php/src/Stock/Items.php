<?php
namespace Shop\Stock;

class Items extends Repository { // «Repository»
    public function left(int $id): int { return $this->item($id)->left; } // «Items.item Item.left»
    private function item(int $id): Item { // «Item»
        /** @var Item $found */
        $found = $this->find($id); // «Repository.find»
        $found->touch(); // «-Item.touch +Entity.touch»
        return $found;
    }
    /** @return Item[] */
    public function every(): array { return $this->all; } // «Repository.all»
    public function sum(): int {
        $sum = 0;
        foreach ($this->every() as $item) { $sum += $item->left; } // «Items.every Item.left»
        return $sum;
    }
}
