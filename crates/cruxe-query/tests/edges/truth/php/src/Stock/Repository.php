<?php
namespace Shop\Stock;

abstract class Repository {
    /** @var array<int, Entity> */
    protected array $all = [];
    public function find(int $id): ?Entity { return $this->all[$id]; } // «Entity Repository.all»
    public function save(Entity $entity): void { // «Entity»
        $entity->touch(); // «Entity.touch»
        $this->all[$entity->id()] = $entity; // «Repository.all Entity.id»
    }
}
