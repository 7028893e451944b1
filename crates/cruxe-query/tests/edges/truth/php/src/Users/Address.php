<?php
namespace Shop\Users;

readonly class Address {
    public function __construct(public string $street, public string $city) {}
    public function with(string $city): self { return new self($this->street, $city); } // «Address.street»
}
