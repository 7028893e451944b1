<?php
namespace Shop\Stock;

trait Counted {
    private static int $count = 0;
    protected function count(): int { return ++self::$count; }
    abstract public function id(): int;
}

trait Tagged {
    public string $tag = '';
    public function tagged(string $tag): static { $this->tag = $tag; return $this; } // «Tagged.tag»
}
