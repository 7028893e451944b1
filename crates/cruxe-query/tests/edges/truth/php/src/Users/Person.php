<?php
namespace Shop\Users;

class Person {
    private int $renames = 0;
    public ?Address $home = null; // «Address»
    public function __construct(protected string $name) {}
    public function rename(string $name): void { $this->name = $name; $this->renames++; } // «Person.name Person.renames»
    public function street(): string { return $this->home->street; } // «Person.home Address.street»
    public function __call(string $method, array $arguments) { return $this->name; } // «Person.name»
}
