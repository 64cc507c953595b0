import { watch as watchFiles } from 'node:fs';

/** Told the name of an entry that came, went or changed; `null` where the system does not say which. */
export type Heard = (name: string | null, event: 'rename' | 'change') => void;

/** Watches the entries of a directory until disposed. Throws, or tells `broke`, where it cannot. */
export type Watch = (directory: string, heard: Heard, broke: (error: unknown) => void) => Disposable;

/** The operating system's own notifications. */
export const systemWatch: Watch = (directory, heard, broke) => {
  const watcher = watchFiles(directory, { persistent: false }, (event, name) => heard(name, event));
  watcher.on('error', (error) => {
    watcher.close();
    broke(error);
  });
  return { [Symbol.dispose]: () => watcher.close() };
};
