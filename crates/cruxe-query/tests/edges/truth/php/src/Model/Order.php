<?php
namespace Shop\Model;

use Shop\Tools\Loggable; // «Loggable»

enum State: string { case Open = 'o'; case Closed = 'c'; }

interface Priced { public function total(): int; }

abstract class Document {
    const LIMIT = 10;
    protected string $title = '';
    public function describe(): string { return $this->title; } // «Document.title»
}

final class Order extends Document implements Priced { // «Document Priced»
    use Loggable; // «Loggable»
    public State $state = State::Open; // «State State.Open»
    public function __construct(private array $lines = []) { $this->log('new'); } // «Loggable.log»
    public static function create(): self { return new self(); } // «-Order»
    public function total(): int { return self::LIMIT + count($this->lines); } // «Document.LIMIT Order.lines»
    public function describe(): string { return parent::describe(); } // «Document.describe»
    public function close(): static { $this->state = State::Closed; return $this; } // «Order.state State State.Closed»
}
