// A browser for tests of pages: the Chromium of this host, which playwright-core drives.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { isOffered } from '../backends/is-offered.ts';

/** The names of Chromium in distributions. */
const names = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of Chromium, or `undefined` if it is not installed. */
const browserPath: string | undefined = (process.env['PATH'] ?? '')
  .split(':')
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

/** Returns whether tests can use a browser here. If not, one line on stderr states why. */
export function hasBrowser(): boolean {
  return isOffered('browser', browserPath === undefined ? 'chromium is not installed' : undefined);
}

/** Starts the browser. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(browserPath !== undefined && { executablePath: browserPath }),
    args: ['--no-sandbox'],
  });
}

/**
 * Saves what a page shows as `NAME.png`, for people who look at it, in the folder that the environment
 * variable `SCREENSHOTS` names. Without it this draws nothing: tests compare no pictures.
 */
export async function keepScreenshot(page: Page, name: string, fullPage = false): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}
