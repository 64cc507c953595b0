// A browser for tests of pages: the Chromium of this host, which playwright-core drives.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isOffered } from '../backends/is-offered.ts';

/** The names of Chromium in distributions. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of Chromium, or `undefined` if it is not installed. */
export const browserPath: string | undefined = (process.env['PATH'] ?? '')
  .split(':')
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Returns whether tests can use a browser here. If not, one line on stderr states why. */
export function hasBrowser(): boolean {
  return isOffered('browser', browserPath === undefined ? 'chromium is not installed' : undefined);
}
