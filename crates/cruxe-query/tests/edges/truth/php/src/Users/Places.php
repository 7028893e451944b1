<?php
namespace Shop\Users;

class Places {
    /** @param Person[] $people */
    public function __construct(private array $people) {}
    public function cities(): array {
        return array_map(function (Person $person) { return $person->home->city; }, $this->people); // «Person Person.home Address.city Places.people»
    }
    public function streets(): array {
        $found = [];
        foreach ($this->people as $one) { $found[] = $one->street(); } // «Places.people Person.street»
        return $found;
    }
}
