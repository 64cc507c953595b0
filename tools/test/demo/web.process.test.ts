// The page of the demo (`npm start -- --web`) in Chromium, over real processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, keepScreenshot, launchBrowser } from '../../src/browser/index.ts';

const root = resolve(import.meta.dirname, '../../..');

describe.skipIf(!hasBrowser())('npm start -- --web', () => {
  let scratch: string;
  let browser: Browser;
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'leadership-test-'));
    browser = await launchBrowser();
  });

  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await browser?.close();
    await rm(scratch, { recursive: true, force: true });
  });

  interface Served {
    readonly child: ChildProcess;
    readonly address: string;
    readonly lines: readonly string[];
  }

  async function started(...args: readonly string[]): Promise<Served> {
    const program = join(root, 'tools/dist/demo/main.js');
    const child = spawn(
      process.execPath,
      ['--conditions=@leadership/internal', program, '--web', ...args],
      { env: { ...process.env, TMPDIR: scratch }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    running.add(child);
    child.once('close', () => running.delete(child));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    const addressIn = (): string | undefined => /http:\S+/.exec(lines.join('\n'))?.[0];
    await expect.poll(addressIn).toBeDefined();
    return { child, address: addressIn() ?? '', lines };
  }

  async function ended({ child }: Served): Promise<unknown> {
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    return code;
  }

  /** Resolves with the member that leads according to the page, other than `except`. */
  async function leaderOn(page: Page, except = ''): Promise<string> {
    const rows = page.locator('#members tbody tr', {
      has: page.locator('.leads', { hasNotText: '–' }),
    });
    const name = () => rows.first().getAttribute('data-key', { timeout: 60_000 });
    await expect
      .poll(async () => ((await rows.count()) === 1 ? await name() : except))
      .not.toBe(except);
    return (await name()) ?? '';
  }

  const news = (page: Page) => page.locator('#news').textContent();

  it('refuses requests to the name of another site, whose scripts could press the buttons', async () => {
    const served = await started();
    const request = get(served.address, { headers: { host: 'rebound.example' } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.resume().statusCode).toBe(421);
    expect(await ended(served)).toBe(0);
  });

  it('shows the fail-over after a kill, a stop and the hand-over, as they are', async () => {
    const served = await started();
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    await page.goto(served.address);
    const first = await leaderOn(page);

    await page.getByRole('button', { name: `kill ${first}` }).click();
    await expect.poll(() => page.locator('#leaders').textContent()).toContain(`${first} (killed)`);
    await keepScreenshot(page, 'demo/killed');
    const second = await leaderOn(page, first);
    expect(second).not.toBe(first);
    await expect.poll(() => news(page)).toMatch(`${second} leads`);
    const top = page.locator('#terms tr').first();
    // The terms are drawn a little later than the news.
    await expect.poll(() => top.textContent()).toContain(`fail-over from ${first}`);
    expect(await page.locator('svg .gap.fail-over').count()).toBe(1);

    await page.getByRole('button', { name: `start ${first}` }).click();
    await page.getByRole('button', { name: `kill ${first}` }).waitFor();
    await page.getByRole('button', { name: `hand over ${second}` }).click();
    const third = await leaderOn(page, second);
    await expect.poll(() => top.textContent()).toContain(`hand-over from ${second}`);

    const stop = page.getByRole('button', { name: `stop ${third}` });
    await stop.focus();
    await page.keyboard.press('Enter');
    await leaderOn(page, third);
    await expect.poll(() => top.textContent()).toContain(`fail-over from ${third}`);
    const go = page.getByRole('button', { name: `continue ${third}` });
    await go.waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('continue');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator(`#members tr[data-key=${third}]`).textContent())
      .toContain('waiting');

    const cut = page.getByRole('button', { name: `cut ${third}` });
    expect(await cut.getAttribute('aria-disabled')).toBe('true');
    await cut.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => news(page)).toContain('there is no network');
    for (const [name, colorScheme, width] of [
      ['wide-light', 'light', 1000],
      ['wide-dark', 'dark', 1000],
      ['phone-light', 'light', 375],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await keepScreenshot(page, `demo/${name}`, true);
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, 'the page is wider than the phone').toBeLessThanOrEqual(0);
    await page.close();
    expect(await ended(served)).toBe(0);
    expect(served.lines.join('\n')).toMatch(/never two commands at once in [4-9] terms/);
    // A directory that was removed too early would have been created again by the members.
    expect(await readdir(scratch), 'files of the demo').toEqual([]);
  });

  it('refuses requests that do not come from its page', async () => {
    const served = await started();
    const html = await (await fetch(served.address)).text();
    const secret = /name="secret" content="([^"]+)"/.exec(html)?.[1] ?? '';
    const post = async (headers: Readonly<Record<string, string>>) => {
      const body = JSON.stringify({ member: 'alice', control: 'none' });
      const response = await fetch(served.address, { method: 'POST', headers, body });
      return response.status;
    };
    expect(await post({})).toBe(403);
    expect(await post({ 'x-page-secret': 'x'.repeat(secret.length) })).toBe(403);
    expect(await post({ 'x-page-secret': secret, origin: 'http://example.com' })).toBe(403);
    expect(await post({ 'x-page-secret': secret }), 'its page may ask').toBe(409);
    expect(await ended(served)).toBe(0);
  });

  it.each(['nerio'])(
    'cuts off a leader that has a network, and fails over: %s',
    async (backend) => {
      const served = await started('--backend', backend);
      const page = await browser.newPage();
      await page.goto(served.address);
      const first = await leaderOn(page);
      await page.getByRole('button', { name: `cut ${first}` }).click();
      const second = await leaderOn(page, first);
      expect(second).not.toBe(first);
      await page.getByRole('button', { name: `mend ${first}` }).click();
      await expect
        .poll(() => page.locator(`#members tr[data-key=${first}]`).textContent())
        .toContain('waiting');
      await page.close();
      expect(await ended(served)).toBe(0);
    },
  );
});
