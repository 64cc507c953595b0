import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** Returns the text of a file in this repository. */
export function textOf(path: string): string {
  return readFileSync(resolve(root, path), 'utf8');
}

/**
 * Returns the rows of the table in `text` whose header begins with these cells. Cells are trimmed.
 */
export function tableIn(text: string, ...head: readonly string[]): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) =>
    head.every((cell, column) => cellsOf(line)[column] === cell),
  );
  if (first < 0) throw new Error(`no table begins with ${head.join(' | ')}`);
  const after = lines.slice(first + 2);
  const end = after.findIndex((line) => !line.startsWith('|'));
  return after.slice(0, end < 0 ? after.length : end).map(cellsOf);
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Returns the text between the first pair of backticks. */
export function codeIn(cell: string | undefined): string {
  return /`([^`]*)`/.exec(cell ?? '')?.[1] ?? '';
}

/** Returns the members of a union of string literals in a source file. */
export function unionIn(text: string, name: string): readonly string[] {
  const body = new RegExp(`type ${name} =([^;]*);`).exec(text)?.[1] ?? '';
  return [...body.matchAll(/'([^']+)'/g)].map(([, word]) => word ?? '');
}

/** Returns the properties of an interface in a source file. */
export function propertiesIn(text: string, name: string): readonly string[] {
  const body = new RegExp(`interface ${name}[^{]*{([\\s\\S]*?)\n}`).exec(text)?.[1] ?? '';
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, word]) => word ?? '');
}

/** Returns the properties of an interface that have no doc comment. */
export function undocumentedIn(text: string, name: string): readonly string[] {
  const body = new RegExp(`interface ${name}[^{]*{([\\s\\S]*?)\n}`).exec(text)?.[1] ?? '';
  return [...body.matchAll(/(?<!\*\/\n) {2}readonly (\w+)\??:/g)].map(([, word]) => word ?? '');
}
