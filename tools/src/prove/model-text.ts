// Finds the mutants of a model for `npm run prove`: the deliberate mistakes that its text defines.

/** A rule that a model can replace by a plausible mistake. */
export interface Mutant {
  readonly name: string;
  /** The value of `MUT` that selects it. */
  readonly number: number;
  /** The rules (M1 …) and holes (hole-1 …) that it belongs to. */
  readonly refutes: readonly string[];
  readonly mistake: string;
}

/** Returns the mutants that the text of a model defines: `#define NAME 1 / * M4: mistake * /`. */
export function mutantsIn(text: string): Mutant[] {
  return [
    ...text.matchAll(/^#define (\w+) (\d+) \/\* ((?:[MH]\d+|hole-\d+)[^:]*): (.+) \*\/$/gm),
  ].map(([, name = '', number, references = '', mistake = '']) => ({
    name,
    number: Number(number),
    refutes: references.split(' '),
    mistake,
  }));
}
