// Records the animation of the README: the demo's page, while its leader is killed and while it
// hands over. Everything on it happens: three processes elect a leader over the files of this host.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { npmPackage } from '../backends/npm-package.ts';
import { launchBrowser } from '../browser/index.ts';

const path = resolve(import.meta.dirname, '../../../docs/images/demo.webp');
const program = resolve(import.meta.dirname, '../demo/main.js');
/** The release of sharp, which joins the pictures. Nothing else needs its 20 MB. */
const sharpRelease = '0.35.5';

/** The time between two frames. Milliseconds. */
const frameMs = 300;
/** How long the last frame is shown. Milliseconds. */
const lastMs = 3000;
/** The width of the page. Pixels. */
const width = 760;

const demo = spawn(process.execPath, ['--conditions=@leadership/internal', program, '--web'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const browser = await launchBrowser();
  await record(browser, await addressOfDemo());
  await browser.close();
} finally {
  demo.kill('SIGTERM');
  await once(demo, 'close');
}

async function addressOfDemo(): Promise<string> {
  for await (const line of createInterface({ input: demo.stdout })) {
    const address = /http:\S+/.exec(line)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error('the demo did not start');
}

async function record(browser: Browser, address: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  await page.goto(address);
  const leader = await leaderOn(page);
  const timeline = await page.locator('#timeline').boundingBox();
  const height = Math.ceil((timeline?.y ?? 0) + (timeline?.height ?? 0) + 8);
  const clip = { x: 0, y: 0, width, height };
  const frames: Buffer[] = [];
  /** Records until the condition holds and `moreMs` have passed. */
  const film = async (moreMs: number, isOver: () => Promise<boolean>): Promise<void> => {
    for (let leftMs = moreMs; leftMs > 0; leftMs -= (await isOver()) ? frameMs : 0) {
      frames.push(await page.screenshot({ clip }));
      await pause(frameMs);
    }
  };
  const always = (): Promise<boolean> => Promise.resolve(true);
  await film(1200, always);
  await press(page, `kill ${leader}`);
  await film(1800, async () => ![leader, ''].includes(await leaderOn(page, false)));
  const second = await leaderOn(page);
  await press(page, `hand over ${second}`);
  await film(1800, async () => ![second, ''].includes(await leaderOn(page, false)));
  const animation = await animationOf(frames);
  await writeFile(path, animation);
  console.log(`${frames.length} frames, ${Math.ceil(animation.length / 1000)} kB: ${path}`);
}

/** The part of sharp that is used. */
type Sharp = (
  pictures: readonly Buffer[],
  options: { readonly join: { readonly animated: true } },
) => {
  webp(options: { readonly lossless: true; readonly delay: readonly number[] }): {
    toBuffer(): Promise<Buffer>;
  };
};

/** Joins pictures into an animation, which repeats. */
async function animationOf(frames: readonly Buffer[]): Promise<Buffer> {
  const library = await npmPackage('sharp', sharpRelease);
  const { default: sharp } = (await import(
    pathToFileURL(resolve(library, 'dist/index.mjs')).href
  )) as { readonly default: Sharp };
  const delay = frames.map((_, index) => (index === frames.length - 1 ? lastMs : frameMs));
  return sharp(frames, { join: { animated: true } })
    .webp({ lossless: true, delay })
    .toBuffer();
}

/** Returns the member that leads according to the page, or an empty string if none does. */
async function leaderOn(page: Page, isAwaited = true): Promise<string> {
  const leader = page.locator('#members tbody tr', {
    has: page.locator('.leads', { hasNotText: '–' }),
  });
  if (isAwaited) await leader.first().waitFor({ timeout: 60_000 });
  return (await leader.count()) === 0
    ? ''
    : ((await leader.first().getAttribute('data-key')) ?? '');
}

/** Presses a button by the keyboard, so that its outline shows which one it is. */
async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).focus();
  await page.keyboard.press('Enter');
}
