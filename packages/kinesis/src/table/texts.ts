import { type Item, keys, textField, textIn } from './layout.ts';
import type { Expected } from './table.ts';

/** An attribute that a stranger wrote: missing or no string. */
interface Strange {
  readonly attribute: Item[string] | undefined;
  /** The text by which core knows it. */
  readonly text: string;
}

/** Converts the text attribute of items, and keeps those that no member wrote. */
export class Texts {
  /** The strange attributes, by item, as they were read last. */
  readonly #strange = new Map<string, Strange>();

  of(item: Item): string {
    const name = nameIn(item);
    const own = textIn(item, textField);
    this.#strange.delete(name);
    if (own !== undefined) return own;
    const attribute = item[textField];
    const text = `no text: ${JSON.stringify(attribute) ?? 'missing'}`;
    this.#strange.set(name, { attribute, text });
    return text;
  }

  /** Returns the condition that an item still is as it was read; `null`: that there is none. */
  expected(name: string, text: string | null): Expected {
    if (text === null) return { [keys.item]: undefined };
    const strange = this.#strange.get(name);
    const attribute = strange?.text === text ? strange.attribute : { S: text };
    return { [keys.item]: { S: name }, [textField]: attribute };
  }
}

/** Returns the name of an item. */
export function nameIn(item: Item): string {
  return textIn(item, keys.item) ?? '';
}
