// The paths of a group's files in the directory of the file backend:
//
// DIRECTORY/GROUP/rows/      the rows of the group: sessions, owners, notes and the pin
//                /scratch/   temporary files; any file there may be removed
// DIRECTORY/GROUP.floor/TOKEN   the greatest token (T1), which outlives GROUP
import { join } from 'node:path';
import { fileNameOf } from './disk/file-name.ts';

/** The paths of a group's files. Absolute. */
export interface Layout {
  readonly group: string;
  readonly scratch: string;
  readonly rows: string;
  readonly floor: string;
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
  };
}
