// A disk that records what was synced. It applies the calls of a member in order, and computes what
// a power loss may leave after each of them. Unsynced names and texts may survive or not.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A file system call that succeeded. `mkdir`, `unlink` and `rm` take a path, `link` and `rename`
 * two, `write` a path, the whole text and `{ durable }`, and `sync` the path of a file or
 * directory. Calls of other names are ignored.
 */
export interface DoneCall {
  /** The name of the call. */
  readonly name: string;
  /** Its arguments. */
  readonly args: readonly unknown[];
}

/** How much unsynced data a power loss destroys. */
export type Loss =
  /** Names and texts. */
  | 'everything'
  /** Texts: all names survive, and unsynced files are empty. */
  | 'texts'
  /** Added names. Removals survive. */
  | 'added-names'
  /** Nothing, as when only the process dies. */
  | 'nothing';

/** Every kind of loss. */
export const losses: readonly Loss[] = ['everything', 'texts', 'added-names', 'nothing'];

interface File {
  text: string;
  synced: string;
}

interface Folder {
  readonly names: Map<string, Entry>;
  synced: ReadonlyMap<string, Entry>;
}

type Entry = File | Folder;

const isFolder = (entry: Entry | undefined): entry is Folder =>
  entry !== undefined && 'names' in entry;

/** A disk in memory that the calls of a member are applied to. */
export class CrashDisk {
  readonly #home: string;
  readonly #root: Folder = { names: new Map(), synced: new Map() };

  /** Creates an empty disk with the root `home`. */
  constructor(home: string) {
    this.#home = home;
  }

  /** Applies a call. */
  apply({ name, args: [first, second, third] }: DoneCall): void {
    const [folder, base] = this.#at(String(first));
    if (name === 'mkdir') folder.names.set(base, { names: new Map(), synced: new Map() });
    if (name === 'unlink' || name === 'rm') folder.names.delete(base);
    if (name === 'link' || name === 'rename') this.#move(name, [folder, base], String(second));
    if (name === 'write')
      write(folder, base, String(second), (third as { readonly durable: boolean }).durable);
    if (name === 'sync') sync(base === '' ? folder : folder.names.get(base));
  }

  /** Writes the files that survive a power loss into the existing directory `target`. */
  leave(loss: Loss, target: string): void {
    for (const [path, text] of this.left(loss))
      if (text === undefined) mkdirSync(join(target, path));
      else writeFileSync(join(target, path), text);
  }

  /**
   * Returns the paths below the root that survive a power loss, each with its text: that of a directory is
   * `undefined`, and it precedes what is in it. Equal results leave equal files, which a test need not
   * write again.
   */
  left(loss: Loss): readonly (readonly [path: string, text: string | undefined])[] {
    return [...left(this.#root, loss, '')];
  }

  #move(how: 'link' | 'rename', [folder, base]: readonly [Folder, string], target: string): void {
    const entry = folder.names.get(base);
    const [to, name] = this.#at(target);
    if (entry) to.names.set(name, entry);
    if (how === 'rename') folder.names.delete(base);
  }

  #at(path: string): readonly [Folder, string] {
    const parts = path.slice(this.#home.length + 1).split('/');
    const base = parts.pop() ?? '';
    let folder = this.#root;
    for (const part of parts) {
      const next = folder.names.get(part);
      if (!isFolder(next)) throw new Error(`${path}: ${part} is not a directory`);
      folder = next;
    }
    return [folder, base];
  }
}

function write(folder: Folder, name: string, text: string, durable: boolean): void {
  const before = folder.names.get(name);
  const synced = durable ? text : '';
  if (before === undefined || isFolder(before)) folder.names.set(name, { text, synced });
  else Object.assign(before, { text, synced });
}

function sync(entry: Entry | undefined): void {
  if (isFolder(entry)) entry.synced = new Map(entry.names);
  else if (entry) entry.synced = entry.text;
}

function* left(
  folder: Folder,
  loss: Loss,
  below: string,
): Generator<readonly [path: string, text: string | undefined]> {
  for (const [name, entry] of leftIn(folder, loss)) {
    const path = join(below, name);
    if (isFolder(entry)) {
      yield [path, undefined];
      yield* left(entry, loss, path);
    } else yield [path, loss === 'nothing' ? entry.text : entry.synced];
  }
}

function leftIn({ names, synced }: Folder, loss: Loss): ReadonlyMap<string, Entry> {
  if (loss === 'everything') return synced;
  if (loss === 'added-names')
    return new Map([...synced].filter(([name, entry]) => names.get(name) === entry));
  return names;
}
