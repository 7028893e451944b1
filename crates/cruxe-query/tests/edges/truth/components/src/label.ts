export function label(one: unknown): string { return String(one); }
