<?php
namespace Shop\Events;

class Door implements Listener { // «Listener»
    private Bell $bell; // «Bell»
    public function open(): void {
        $this->bell = new Bell(); // «Door.bell Bell»
        $this->bell->listen($this); // «Door.bell Bell.listen»
        $this->bell->listen(new class implements Listener { // «Door.bell Bell.listen Listener»
            public function heard(string $who): void {}
        });
        $this->bell->ring('door'); // «Door.bell Bell.ring»
        $answer = fn() => $this->answer('x'); // «Door.answer»
    }
    public function heard(string $who): void { $this->answer($who); } // «Door.answer»
    private function answer(string $who): void {}
}
