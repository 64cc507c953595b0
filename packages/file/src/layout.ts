// DIRECTORY/GROUP/pin/N.json         the group's pin (R3)
//                /PARTITION/N.json   one register: version N of it
//                /wants/             who asks for which lease (L7)
//                /presence/          who stands for election
//                /scratch/           files on their way into place; whatever is found there may be removed
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

/** The file of version `number` of a register. */
export function versionPath(register: string, number: number): string {
  return join(register, `${number}.json`);
}

/** Which version a file is; `undefined` for foreign files. */
export function versionNumber(fileName: string): number | undefined {
  return /^(0|[1-9]\d{0,14})\.json$/.test(fileName) ? Number.parseInt(fileName, 10) : undefined;
}
