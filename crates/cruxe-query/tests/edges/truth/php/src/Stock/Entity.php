<?php
namespace Shop\Stock;

interface Identified { public function id(): int; }

abstract class Entity implements Identified { // «Identified»
    protected int $id = 0;
    public function id(): int { return $this->id; }
    public function touch(): void { $this->id++; }
}
