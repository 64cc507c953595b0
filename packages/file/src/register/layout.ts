// The paths of a group's files in the directory of the file backend:
//
// DIRECTORY/GROUP/pin/N.MARK.json         the group's pin (R3)
//                /PARTITION/N.MARK.json   one register: version N of it
//                /lease-requests/         lease requests (L7)
//                /presence/               candidates that are alive
//                /scratch/                temporary files; any file there may be removed
// DIRECTORY/GROUP.floor/TOKEN             the greatest token (T1), which outlives GROUP
//
// Each life of a register has its own mark, so a recreated register never reuses a file name. A
// member that was paused while the register was deleted may link or prune files, but only under
// names that no other member reads.
import { join } from 'node:path';
import { pinRegister } from '@leadership/core/internal/lease';
import { fileNameOf } from '../disk/file-name.ts';

/** The paths of a group's files. Absolute. */
export interface Layout {
  readonly group: string;
  readonly scratch: string;
  readonly rows: string;
  readonly floor: string;
  readonly leaseRequests: string;
  readonly presence: string;
  register(partition: number): string;
}

/** Returns the layout of a group in a directory. */
export function layoutOf(directory: string, group: string): Layout {
  const home = join(directory, fileNameOf(group));
  return {
    group: home,
    // No file name of a group contains a dot.
    floor: `${home}.floor`,
    scratch: join(home, 'scratch'),
    rows: join(home, 'rows'),
    leaseRequests: join(home, 'lease-requests'),
    presence: join(home, 'presence'),
    register: (partition) => join(home, partition === pinRegister ? 'pin' : String(partition)),
  };
}

/**
 * Names a version of a register: its number in one life of the register, and the mark of that life.
 */
export interface VersionName {
  readonly number: number;
  readonly mark: string;
}

/** Returns the file name of a version. */
export function versionFile({ number, mark }: VersionName): string {
  return `${number}.${mark}.json`;
}

/** Returns the path of a version. */
export function versionPath(register: string, version: VersionName): string {
  return join(register, versionFile(version));
}

/** Parses a file name; `undefined` for foreign files. */
export function versionName(fileName: string): VersionName | undefined {
  const [, number, mark] = /^(0|[1-9]\d{0,14})\.([0-9a-f]{12})\.json$/.exec(fileName) ?? [];
  return number === undefined || mark === undefined
    ? undefined
    : { number: Number.parseInt(number, 10), mark };
}
