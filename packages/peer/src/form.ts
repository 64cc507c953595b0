// Describes the messages between members, for Nerio and gossip: a form is stated once, and values are
// both written and read by it.
import type { Draft } from '@leadership/core/internal/engine';
import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

/**
 * The encoding of one kind of value. `Sender` and `Receiver`: what the two ends know of a message
 * without reading it.
 */
export interface Form<T, Sender = unknown, Receiver extends Sender = Sender> {
  write(to: ByteWriter, value: T, sender: Sender): void;
  /** Reads a value. An invalid one makes the reader unsound. */
  read(from: ByteReader, receiver: Receiver): T;
}

/** The forms of the fields of an object, in the order in which they are sent. */
export type FieldForms<T, Sender = unknown, Receiver extends Sender = Sender> = {
  readonly [Name in keyof T]-?: Form<
    object extends Pick<T, Name> ? T[Name] | undefined : T[Name],
    Sender,
    Receiver
  >;
};

/** The greatest integer in a message. */
export const wholeMax: number = Number.MAX_SAFE_INTEGER;

/** An integer from 0 to `max`. */
export function uintForm(max: number): Form<number> {
  return { write: (to, value) => to.uint(value), read: (from) => from.uint(max) };
}

/** Any integer from 0. */
export const wholeForm: Form<number> = uintForm(wholeMax);

/** A number from `min` to `max`, possibly infinite. */
export function floatForm(min: number, max: number): Form<number> {
  return { write: (to, value) => to.float(value), read: (from) => from.float(min, max) };
}

/** A token of a term. */
export const tokenForm: Form<bigint> = {
  write: (to, value) => to.token(value),
  read: (from) => from.token(),
};

/** A truth value. */
export const flagForm: Form<boolean> = {
  write: (to, value) => to.flag(value),
  read: (from) => from.flag(),
};

/** UTF-8 text of `bytesMin` to `bytesMax` bytes. */
export function textForm(bytesMax: number, bytesMin: number = 1): Form<string> {
  return {
    write: (to, value) => to.text(value),
    read: (from) => from.text(bytesMax, bytesMin),
  };
}

/** One of these values, by its index: append new ones at the end, because other indexes must not change. */
export function oneOfForm<T>(values: readonly [T, ...(readonly T[])]): Form<T> {
  return {
    write: (to, value) => to.uint(values.indexOf(value)),
    read: (from) => from.oneOf(values),
  };
}

/** A value that may be missing: a flag, then the value. */
export function optionalForm<T, Sender, Receiver extends Sender>(
  form: Form<T, Sender, Receiver>,
): Form<T | undefined, Sender, Receiver> {
  return {
    write(to, value, sender) {
      to.flag(value !== undefined);
      if (value !== undefined) form.write(to, value, sender);
    },
    read: (from, receiver) => (from.flag() ? form.read(from, receiver) : undefined),
  };
}

/** Values in their order, after their number. */
export function listForm<T, Sender, Receiver extends Sender>(
  count: Form<number>,
  item: Form<T, Sender, Receiver>,
): Form<readonly T[], Sender, Receiver> {
  return {
    write(to, values, sender) {
      count.write(to, values.length, sender);
      for (const value of values) item.write(to, value, sender);
    },
    read: (from, receiver) =>
      readList(from, count.read(from, receiver), () => item.read(from, receiver)),
  };
}

/** Reads that number of values. Stops at the first one that is not valid. */
export function readList<T>(from: ByteReader, count: number, read: () => T): readonly T[] {
  const values: T[] = [];
  for (let index = 0; index < count && from.isSound; index += 1) values.push(read());
  return values;
}

/** An object with any keys: the number of its fields, then each key and value. */
export function entriesForm<T, Sender, Receiver extends Sender>(
  countMax: number,
  key: Form<string, Sender, Receiver>,
  value: Form<T, Sender, Receiver>,
): Form<Readonly<Record<string, T>>, Sender, Receiver> {
  return {
    write(to, record, sender) {
      const entries = Object.entries(record);
      to.uint(entries.length);
      for (const [name, one] of entries) {
        key.write(to, name, sender);
        value.write(to, one, sender);
      }
    },
    read(from, receiver) {
      const entries = readList(
        from,
        from.uint(countMax),
        () => [key.read(from, receiver), value.read(from, receiver)] as const,
      );
      // The keys are own properties, whatever their names.
      const record = Object.fromEntries(entries);
      if (Object.keys(record).length !== entries.length) from.fail();
      return record;
    },
  };
}

/**
 * An object: its fields in the order in which their forms are listed. One that is undefined is left
 * out of the object that is read.
 */
export function fieldsForm<T extends object, Sender = unknown, Receiver extends Sender = Sender>(
  forms: FieldForms<T, Sender, Receiver>,
): Form<T, Sender, Receiver> {
  const fields = (Object.keys(forms) as (keyof T)[]).map((name) => [name, forms[name]] as const);
  return {
    write(to, value, sender) {
      for (const [name, form] of fields) form.write(to, value[name], sender);
    },
    read(from, receiver) {
      const value: Partial<Draft<T>> = {};
      for (const [name, form] of fields) {
        const field = form.read(from, receiver);
        if (field !== undefined) value[name] = field;
      }
      return value as T;
    },
  };
}

/** The forms of the objects of each kind, without the kind itself, in the order of their numbers. */
export type KindForms<
  T extends { readonly kind: string },
  Sender = unknown,
  Receiver extends Sender = Sender,
> = {
  readonly [Kind in T['kind']]: FieldForms<
    Omit<Extract<T, { readonly kind: Kind }>, 'kind'>,
    Sender,
    Receiver
  >;
};

/**
 * An object of one of several kinds: the number of its kind, then its fields. Append new kinds at the
 * end, because other numbers must not change.
 */
export function kindsForm<
  T extends { readonly kind: string },
  Sender = unknown,
  Receiver extends Sender = Sender,
>(kinds: KindForms<T, Sender, Receiver>): Form<T, Sender, Receiver> {
  const forms = Object.entries(kinds).map(([kind, fields]) => {
    const constant: Form<string> = { write: () => undefined, read: () => kind };
    // The table has the fields of each kind, which the compiler cannot infer for a union.
    return fieldsForm({ kind: constant, ...(fields as object) }) as Form<T, Sender, Receiver>;
  });
  const numbers = new Map(Object.keys(kinds).map((kind, number) => [kind, number]));
  const formOf = (number: number): Form<T, Sender, Receiver> => {
    const form = forms[number];
    if (form === undefined) throw new Error('Broken invariant: there is a form of each kind');
    return form;
  };
  return {
    write(to, value, sender) {
      const number = numbers.get(value.kind) ?? -1;
      const form = formOf(number);
      to.uint(number);
      form.write(to, value, sender);
    },
    read: (from, receiver) => formOf(from.uint(forms.length - 1)).read(from, receiver),
  };
}

/** Reads a value that all remaining bytes belong to; `undefined` if they are invalid. */
export function readWhole<T>(form: Form<T>, from: ByteReader): T | undefined {
  const value = form.read(from, undefined);
  return from.isDone ? value : undefined;
}
