import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** Returns the whole lines that were appended to a file since the last call. */
export type NewLines = () => readonly string[];

/**
 * Follows a file that processes write. Tests look every few milliseconds, so that only what is new
 * may be read.
 */
export function growingFile(path: string): NewLines {
  let readBytes = 0;
  return () => {
    if (!existsSync(path)) return [];
    const added = bytesFrom(path, readBytes);
    // The end of the last line may not be written yet.
    const end = added.lastIndexOf('\n') + 1;
    readBytes += end;
    return added.toString('utf8', 0, end).split('\n').slice(0, -1);
  };
}

function bytesFrom(path: string, position: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(fstatSync(file).size - position);
    return bytes.subarray(0, readSync(file, bytes, { position }));
  } finally {
    closeSync(file);
  }
}
