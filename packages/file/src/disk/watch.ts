// The port to notifications about changes in a directory, and its implementation by the system.
import { watch as watchFiles } from 'node:fs';

/**
 * Called with the name of an entry that was created, removed or changed; `null` if the system does
 * not report the name.
 */
export type Notified = (name: string | null, event: 'rename' | 'change') => void;

/** Watches the entries of a directory until disposed. If it cannot, it throws or calls `broke`. */
export type Watch = (
  directory: string,
  notified: Notified,
  broke: (error: unknown) => void,
) => Disposable;

/** Watches with the notifications of the operating system. */
export const systemWatch: Watch = (directory, notified, broke) => {
  const watcher = watchFiles(directory, { persistent: false }, (event, name) =>
    notified(name, event),
  );
  watcher.on('error', (error) => {
    watcher.close();
    broke(error);
  });
  return { [Symbol.dispose]: () => watcher.close() };
};
