// DIRECTORY/GROUP/pin/N.MARK.json         the group's pin (R3)
//                /PARTITION/N.MARK.json   one register: version N of it
//                /wants/                  who asks for which lease (L7)
//                /presence/               who stands for election
//                /scratch/                files on their way into place; whatever is found there may be removed
//
// A register that is made anew has a mark of its own, so that no name in it was ever another's: what a member does that was
// paused while the register was deleted, links or prunes, befalls names that nobody looks at.
import { join } from 'node:path';
import { pinRegister } from '@leadership/core/ledger';
import { fileNameOf } from './file-name.ts';

/** Where a group keeps what. Absolute paths. */
export interface Layout {
  readonly group: string;
  readonly scratch: string;
  readonly wants: string;
  readonly presence: string;
  register(partition: number): string;
}

/** The layout of `group` in `directory`. */
export function layoutOf(directory: string, group: string): Layout {
  const home = join(directory, fileNameOf(group));
  return {
    group: home,
    scratch: join(home, 'scratch'),
    wants: join(home, 'wants'),
    presence: join(home, 'presence'),
    register: (partition) => join(home, partition === pinRegister ? 'pin' : String(partition)),
  };
}

/** Which version of a register: its number in one life of the register, and the mark of that life. */
export interface VersionName {
  readonly number: number;
  readonly mark: string;
}

/** What the file of a version is called. */
export function versionFile({ number, mark }: VersionName): string {
  return `${number}.${mark}.json`;
}

/** The file of a version of a register. */
export function versionPath(register: string, version: VersionName): string {
  return join(register, versionFile(version));
}

/** Which version a file is; `undefined` for foreign files. */
export function versionName(fileName: string): VersionName | undefined {
  const [, number, mark] = /^(0|[1-9]\d{0,14})\.([0-9a-f]{12})\.json$/.exec(fileName) ?? [];
  return number === undefined || mark === undefined ? undefined : { number: Number.parseInt(number, 10), mark };
}
