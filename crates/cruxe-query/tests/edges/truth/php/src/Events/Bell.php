<?php
namespace Shop\Events;

interface Listener { public function heard(string $who): void; }

class Bell {
    /** @var list<Listener> */
    private array $listeners = [];
    public function listen(Listener $listener): void { $this->listeners[] = $listener; } // «Listener Bell.listeners»
    public function ring(string $who): void {
        foreach ($this->listeners as $listener) { $listener->heard($who); } // «Bell.listeners Listener.heard»
    }
}
