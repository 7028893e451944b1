<?php
namespace Shop\Catalog;

enum Category: string {
    case Food = 'f';
    case Tools = 't';
    const Main = self::Food; // «Category.Food»
    public function label(): string {
        return match ($this) {
            Category::Food => 'food', // «Category Category.Food»
            self::Tools => $this->value, // «Category.Tools»
        };
    }
    public static function of(string $text): self { return self::from($text); }
}

enum Shade { case Food; case Dark; } // «!Shade.Food»
