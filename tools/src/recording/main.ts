// Records the animation of the README: the demo's page, while its leader is killed and while it
// hands over. Everything on it happens: three processes elect a leader over the files of this host.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../browser/index.ts';
import { animationOf, type Frame } from './animation.ts';
import { Screen } from './screen.ts';

const path = resolve(import.meta.dirname, '../../../docs/images/demo.png');
const program = resolve(import.meta.dirname, '../demo/main.js');

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
  const canvas = await browser.newPage();
  const screen = new Screen(page, canvas, { width, height });
  const frames: Frame[] = [];
  /** Records until the condition holds and `moreMs` have passed. */
  const film = async (moreMs: number, isOver: () => Promise<boolean>): Promise<void> => {
    for (let leftMs = moreMs; leftMs > 0; leftMs -= (await isOver()) ? frameMs : 0) {
      const frame = await screen.frame();
      if (frame !== undefined) frames.push({ ...frame, delayMs: frameMs });
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
  const last = frames.pop();
  if (last !== undefined) frames.push({ ...last, delayMs: lastMs });
  const animation = animationOf(frames);
  await writeFile(path, animation);
  console.log(`${frames.length} frames, ${Math.ceil(animation.length / 1000)} kB: ${path}`);
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
