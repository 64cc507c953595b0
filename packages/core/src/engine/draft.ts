/** A mutable copy: the part of a state that a step, or another short piece of work, may change. */
export type Draft<T> = { -readonly [Field in keyof T]: T[Field] };
