// The site of the documentation, built as `npm run docs` builds it and read in Chromium.
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, keepScreenshot, launchBrowser } from '../../src/browser/index.ts';
import { type StaticServer, serveFolder } from './static-server.ts';

const root = resolve(import.meta.dirname, '../../..');

/** How long the build may take on a starved machine; a minute is usual. Milliseconds. */
const buildMs = 900_000;

describe.skipIf(!hasBrowser())('the site of the documentation', () => {
  let server: StaticServer;
  let browser: Browser;

  beforeAll(async () => {
    const turbo = join(root, 'node_modules/turbo/bin/turbo');
    await promisify(execFile)(process.execPath, [turbo, 'run', 'docs:build'], { cwd: root });
    server = await serveFolder(join(root, 'docs/.vitepress/dist'));
    browser = await launchBrowser();
  }, buildMs);

  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  interface Reading extends AsyncDisposable {
    readonly page: Page;
    /** Failed requests, requests of other hosts, and errors of scripts. */
    readonly failures: readonly string[];
  }

  async function opened(
    path: string,
    options: Parameters<Browser['newPage']>[0] = {},
  ): Promise<Reading> {
    const page = await browser.newPage(options);
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    page.on('response', (response) => {
      if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
    });
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(server.address) && !url.startsWith('data:')) failures.push(url);
    });
    await page.goto(`${server.address}${path}`, { waitUntil: 'load' });
    return { page, failures, [Symbol.asyncDispose]: () => page.close() };
  }

  it('shows the README at home, and leads from there to the guides', async () => {
    await using reading = await opened('/');
    const { page } = reading;
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('leadership');
    await page.getByRole('navigation').getByRole('link', { name: 'Tutorial' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Tutorial' }).waitFor();
    expect(reading.failures).toEqual([]);
  });

  it('draws its diagrams, in both colour schemes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using reading = await opened('/explanation/session-lease.html', { colorScheme });
      await expect.poll(() => reading.page.locator('figure.diagram svg').count()).toBe(5);
      expect(await reading.page.locator('pre.diagram').count()).toBe(0);
      await keepScreenshot(reading.page, `site/diagrams-${colorScheme}`, true);
      expect(reading.failures).toEqual([]);
    }
  });

  it('finds words without a server', async () => {
    await using reading = await opened('/');
    const { page } = reading;
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('fencing token');
    const result = page.locator('#localsearch-list a').first();
    await result.waitFor();
    await keepScreenshot(page, 'site/search');
    await result.click();
    await expect.poll(() => page.url()).not.toBe(`${server.address}/`);
    expect(reading.failures).toEqual([]);
  });

  it('shows that the index of the search is loading, and then finds what was typed meanwhile', async () => {
    await using reading = await opened('/');
    const { page } = reading;
    let release = (): void => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/localSearchIndexroot/, async (route) => {
      await isReleased;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('fencing token');
    const state = page.getByRole('status').filter({ hasText: 'Loading the search index' });
    await state.waitFor();
    await keepScreenshot(page, 'site/search-loading');
    expect(await page.locator('#localsearch-list a').count()).toBe(0);
    release();
    await page.locator('#localsearch-list a').first().waitFor();
    expect(await state.count()).toBe(0);
    expect(reading.failures).toEqual([]);
  });

  it('shows that the index of the search did not load', async () => {
    await using reading = await opened('/');
    const { page } = reading;
    await page.route(/localSearchIndexroot/, (route) => route.abort());
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('status').filter({ hasText: 'did not load' }).waitFor();
  });

  it('has an index of the search below 600 kB, and an icon that needs no request', async () => {
    const chunks = join(root, 'docs/.vitepress/dist/assets/chunks');
    const [index = ''] = (await readdir(chunks)).filter((name) => /SearchIndexroot/.test(name));
    expect((await stat(join(chunks, index))).size).toBeLessThan(600_000);
    await using reading = await opened('/');
    const icon = reading.page.locator('link[rel=icon]');
    expect(await icon.getAttribute('href')).toMatch(/^data:image.svg/);
    expect(reading.failures).toEqual([]);
  });

  it('has no table that is wider than its page, of 1280 or 360 pixels', async () => {
    const names = await readdir(join(root, 'docs/reference'));
    await using reading = await opened('/');
    const { page } = reading;
    for (const name of names) {
      await page.goto(`${server.address}/reference/${name.replace('.md', '.html')}`);
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(`[...document.querySelectorAll('.vp-doc table')]
          .filter((table) => {
            const { left, right } = table.parentNode.getBoundingClientRect();
            const own = table.getBoundingClientRect();
            return own.left < left - 1 || own.right > right + 1 || table.scrollWidth > own.width + 1;
          })
          .map((table) => table.rows[0].textContent)`);
        expect(wide, `${name}, ${width} pixels`).toEqual([]);
        if (name === 'options.md') await keepScreenshot(page, `site/options-${width}`, true);
      }
    }
    expect(reading.failures).toEqual([]);
  });

  describe('finds the reference first', () => {
    /** It stays open from word to word: the index of the search is loaded once. */
    let reading: Reading;
    beforeAll(async () => {
      reading = await opened('/');
    });
    afterAll(() => reading[Symbol.asyncDispose]());

    it.each([
      ['drainTimeoutMs', '/reference/options.html'],
      ['thresholdMs', '/reference/options.html'],
      ['minReplicas', '/reference/redis.html'],
      ['stop-timeout', '/reference/cli.html'],
      ['doctor', '/reference/cli.html'],
      ['redirectToLeader', '/api/@leadership/http.html'],
      ['openLeadership', '/api/@leadership/core/'],
      ['error codes', '/reference/errors.html'],
    ])('of %s', async (words, path) => {
      const { page } = reading;
      await page.getByRole('button', { name: 'Search' }).first().click();
      const results = page.locator('#localsearch-list a');
      // The box remembers the words before, and shows their results.
      await page.getByRole('searchbox').fill('');
      await expect.poll(() => results.count()).toBe(0);
      await page.getByRole('searchbox').fill(words);
      const first = results.first();
      await expect
        .poll(() => first.evaluate((link) => String(Reflect.get(link, 'pathname'))))
        .toBe(path);
      const hash = await first.evaluate((link) => String(Reflect.get(link, 'hash')));
      await first.click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(path);
      await expect.poll(() => new URL(page.url()).hash).toBe(hash);
      await page.locator(`[id="${hash.slice(1)}"]`).waitFor();
      expect(reading.failures).toEqual([]);
    });
  });

  it('contains the reference of the API, with links from its guides to the packages', async () => {
    await using reading = await opened('/api/@leadership/core/');
    const { page } = reading;
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(
      '@leadership/core',
    );
    expect(await page.getByRole('heading', { name: 'openLeadership()' }).count()).toBe(1);
    expect(reading.failures).toEqual([]);
  });

  it('fits on a phone', async () => {
    for (const path of ['/', '/reference/guarantees.html']) {
      await using reading = await opened(path, { viewport: { width: 375, height: 800 } });
      const overflow = await reading.page.evaluate(
        'document.documentElement.scrollWidth - innerWidth',
      );
      expect(overflow, `${path} is wider than a phone`).toBeLessThanOrEqual(0);
      const name = path === '/' ? 'home' : 'guarantees';
      await keepScreenshot(reading.page, `site/${name}-phone`);
    }
    await using wide = await opened('/', { viewport: { width: 1400, height: 1000 } });
    await keepScreenshot(wide.page, 'site/home');
  });
});
