// The page of 1,000 partitions and 50 members in Chromium: what it shows, and what it costs.
import { setTimeout as pause } from 'node:timers/promises';
import { hasBrowser, keepScreenshot, launchBrowser } from '@leadership/tools/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memberName, members, partitions, ShownGroup } from './shown-group.ts';

describe.skipIf(!hasBrowser())('the page of a large group in Chromium', () => {
  let browser: Browser;
  let shown: ShownGroup;

  beforeAll(async () => {
    browser = await launchBrowser();
    shown = await ShownGroup.serve();
  });

  afterAll(async () => {
    await browser?.close();
    await shown?.[Symbol.asyncDispose]();
  });

  interface Opened extends AsyncDisposable {
    readonly page: Page;
    /** The requests of the page that failed, and the errors in its console. */
    readonly failures: readonly string[];
  }

  async function opened(options: Parameters<Browser['newPage']>[0] = {}): Promise<Opened> {
    const page = await browser.newPage(options);
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
    page.on('response', (response) => {
      if (response.status() >= 400) failures.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(shown.address);
    await page.locator('#leaders tr.group').first().waitFor();
    return { page, failures, [Symbol.asyncDispose]: () => page.close() };
  }

  const rows = (page: Page) => page.locator('#leaders tbody tr:not(.group)');
  const filter = (page: Page) => page.getByRole('searchbox', { name: 'Filter' });

  it('groups partitions by leader, those without one first, and opens a group by the keyboard', async () => {
    await using reading = await opened();
    const { page } = reading;
    expect(await page.locator('#leaders tr.group').count()).toBe(members + 1);
    expect(await rows(page).count(), 'the groups are closed').toBe(0);
    const titles = page.locator('#leaders tr.group button');
    expect((await titles.allTextContents()).slice(0, 3)).toEqual([
      'Without a leader',
      'worker-0',
      'worker-1',
    ]);
    await filter(page).focus();
    for (let tab = 0; tab < 4; tab += 1) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows(page).locator('th').allTextContents()).toEqual(['3', '17', '404']);
    const first = page.getByRole('button', { name: 'Without a leader', expanded: true });
    expect(await first.evaluate((button) => button.matches(':focus'))).toBe(true);
    await keepScreenshot(page, 'dashboard/large');
    expect(reading.failures).toEqual([]);
  });

  describe('with one page for all words', () => {
    let reading: Opened;
    beforeAll(async () => {
      reading = await opened();
    });
    afterAll(() => reading[Symbol.asyncDispose]());

    it.each([
      ['42', ['42']],
      ['10-12', ['10', '11', '12']],
      ['nightly', ['7']],
      ['without leader', ['3', '17', '404']],
      ['in trouble worker-42', ['42']],
      ['worker-9 in trouble', Array.from({ length: 20 }, (_, n) => String(9 + 50 * n))],
      ['nothing-like-this', []],
    ])('finds %s', async (words, expected) => {
      const { page } = reading;
      await filter(page).fill(words);
      await expect.poll(() => rows(page).locator('th').allTextContents()).toEqual(expected);
      const matching = `${expected.length} of ${partitions} partitions match`;
      expect(await page.locator('#matches').textContent()).toBe(matching);
      expect(reading.failures).toEqual([]);
    });
  });

  it('filters by its boxes, and groups by state', async () => {
    await using reading = await opened();
    const { page } = reading;
    await page.getByLabel('Group by').selectOption('state');
    await expect
      .poll(() => page.locator('#leaders tr.group').allTextContents())
      .toEqual([
        expect.stringMatching(/^Without a leader.*3 partitions$/),
        expect.stringMatching(/^In trouble.*21 partitions, 21 in trouble$/),
        expect.stringMatching(/^Led.*976 partitions$/),
      ]);
    await page.getByRole('button', { name: 'Led' }).click();
    // The last one is the button for more.
    await expect.poll(() => rows(page).count()).toBe(101);
    await page.getByRole('button', { name: 'Show 100 more of 876' }).click();
    await expect.poll(() => rows(page).count()).toBe(201);
    await page.getByLabel('without a leader').check();
    await expect.poll(() => rows(page).locator('th').allTextContents()).toEqual(['3', '17', '404']);
    await page.getByLabel('without a leader').uncheck();
    await page.getByLabel('in trouble').check();
    await expect.poll(() => rows(page).count()).toBe(21);
    // Their leaders.
    await expect.poll(() => page.locator('#members tbody tr').count()).toBe(2);
  });

  it('says how many members stand by, and since which day each takes part', async () => {
    await using reading = await opened();
    const { page } = reading;
    const standing = page.locator('#standing');
    expect(await standing.textContent()).toBe('50 members: 50 lead, none stands by.');
    const [since = ''] = await page.locator('#members td.state').allTextContents();
    expect(since, 'the beginning of 1970, in any time zone').toMatch(
      /^leads, since .*(Jan 1|Dec 31)\b/,
    );
  });

  it('is nowhere wider than the page, and scrolls nothing sideways, from 360 pixels on', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using reading = await opened({ colorScheme });
      const { page } = reading;
      await page.locator('#leaders tr.group button').nth(1).click();
      for (let n = 0; n < 20; n += 1) shown.move(n * 50, memberName(0));
      await page.locator('#terms tr').first().waitFor();
      for (const width of [360, 390, 480, 600, 700, 720, 900, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const wide = await page.evaluate(
          `[...document.querySelectorAll('*')]
            .filter((one) => one.closest('thead') === null || innerWidth > 704)
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 ||
              (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible'))
            .map((one) => one.outerHTML.slice(0, 100))`,
        );
        expect(wide, `${width} pixels`).toEqual([]);
        if ([360, 1280].includes(width))
          await keepScreenshot(page, `dashboard/large-${width}-${colorScheme}`, true);
      }
    }
  });

  it('is a table for screen readers, also on a phone', async () => {
    await using reading = await opened({ viewport: { width: 360, height: 800 } });
    const { page } = reading;
    await filter(page).fill('nightly');
    const table = page.getByRole('table', { name: 'Leaders' });
    await table.getByRole('rowheader', { name: 'worker-7', exact: true }).waitFor();
    const row = table.getByRole('row').filter({ hasText: 'nightly-report' });
    expect(await row.getByRole('cell').count()).toBe(4);
    expect(await row.getByRole('rowheader').count()).toBe(1);
    expect(
      await row.getByRole('progressbar', { name: 'remaining lease of partition 7' }).count(),
    ).toBe(1);
  });

  it('changes only the elements of what has changed, once for each frame, for hundreds of changes in a second', async () => {
    await using reading = await opened({ reducedMotion: 'reduce' });
    const { page } = reading;
    await page.getByLabel('Group by').selectOption('none');
    await rows(page).first().waitFor();
    const changes = 500;
    const beganMs = performance.now();
    const counted = await changesIn(page, async () => {
      // Every other partition, of which the first hundred are shown.
      for (let n = 0; n < changes; n += 1) {
        shown.move((2 * n) % partitions, `worker-${Math.floor(Math.random() * members)}`);
        if (n % 10 === 0) await pause(20);
      }
      await pause(1000);
    });
    const frames = ((performance.now() - beganMs) / 1000) * 60;
    expect(counted.rows.length, 'rows that changed').toBeGreaterThan(40);
    expect(counted.rows.filter((partition) => Number(partition) % 2 === 1)).toEqual([]);
    // The name and the token of a row; what two members lead.
    expect(counted.records / changes).toBeLessThan(6);
    expect(counted.callbacks).toBeLessThan(frames);
    expect(reading.failures).toEqual([]);
  });

  it('at rest moves the bars in view four times a second, and changes nothing else', async () => {
    await using reading = await opened();
    const { page } = reading;
    await page.getByLabel('Group by').selectOption('none');
    await rows(page).first().waitFor();
    const inView = Number(
      await page.evaluate(
        `[...document.querySelectorAll('#leaders progress')].filter((bar) => {
          const { top, bottom } = bar.getBoundingClientRect();
          return bottom >= 0 && top <= innerHeight;
        }).length`,
      ),
    );
    expect(inView, 'bars in view').toBeGreaterThan(3);
    const beganMs = performance.now();
    const counted = await changesIn(page, async () => {
      for (let n = 0; n < 3; n += 1) {
        shown.renew();
        await pause(1000);
      }
    });
    const seconds = (performance.now() - beganMs) / 1000;
    // Each move changes the value of a bar and its text; renewals move them once more.
    expect(counted.records).toBeLessThan((4 * seconds + 6) * (inView + 1) * 3);
    expect(counted.rows, 'rows that changed').toEqual([]);
    expect(counted.bars, 'bars that moved').toBeLessThanOrEqual(inView + 1);
    expect(counted.records).toBeGreaterThan(inView);
  });

  interface Changes {
    readonly records: number;
    /** How often the observer was called: once for each frame, and each move of the bars. */
    readonly callbacks: number;
    /** The partitions whose rows have changed, except for their bars. */
    readonly rows: readonly string[];
    /** In how many rows bars have moved. */
    readonly bars: number;
  }

  /** Counts the changes of the document while `work` runs, except for those of the terms. */
  async function changesIn(page: Page, work: () => Promise<void>): Promise<Changes> {
    await page.evaluate(`
      window.counted = { records: 0, callbacks: 0, rows: new Set(), bars: new Set() };
      window.counter = new MutationObserver((records) => {
        counted.callbacks += 1;
        for (const { target } of records) {
          const at = target.closest ? target : target.parentNode;
          if (at === null || at.closest('#terms, #timeline')) continue;
          counted.records += 1;
          const row = at.closest('#leaders tbody tr:not(.group)');
          const isBar = at.closest('progress, .left') !== null;
          if (row && !isBar) counted.rows.add(row.querySelector('th').textContent);
          if (row && isBar) counted.bars.add(row.querySelector('th').textContent);
        }
      });
      counter.observe(document, {
        subtree: true, childList: true, characterData: true, attributes: true,
      });
    `);
    await work();
    return page.evaluate(`(() => {
      counter.disconnect();
      return { ...counted, rows: [...counted.rows], bars: counted.bars.size };
    })()`);
  }
});
