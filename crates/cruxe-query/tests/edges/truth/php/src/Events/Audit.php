<?php
namespace Shop\Events;

#[\Attribute]
class Audited {
    public function __construct(public int $level = 0) {}
}

#[Audited(level: 2)] // «Audited Audited.level»
class Vault {
    #[Audited] // «Audited»
    public function open(): void {} // «!Vault.open»
}
