/** Marks what must never be written anywhere: the security code of a card, and what holds one. */
export declare const unstorable: unique symbol;
export type Unstorable = { readonly [unstorable]: true };

/**
 * A type of stored documents without anything that must not be stored: such a field becomes `never`, at any depth, so that the
 * compiler refuses all that would write it.
 */
export type Storable<T> = T extends Unstorable
  ? never
  : T extends bigint | Date | Uint8Array
    ? T
    : T extends object
      ? { [Key in keyof T]: Storable<T[Key]> }
      : T;
