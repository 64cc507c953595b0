import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anyOf, type LeadershipSource, openLeadership } from '@leadership/core';
import { type Dashboard, dashboard } from '@leadership/dashboard';
import { eventually } from '@leadership/testkit/adapter';
import { freePorts } from '@leadership/testkit/faults';
import { hasBrowser, keepScreenshot, launchBrowser } from '@leadership/tools/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** T, longer than a machine that starts a browser may keep these members from renewing. Milliseconds. */
const thresholdMs = 20_000;

describe.skipIf(!hasBrowser())('the page in Chromium', () => {
  let browser: Browser;
  let source: LeadershipSource;
  let other: LeadershipSource;
  let handler: Dashboard;
  let server: Server;
  let address: string;

  beforeAll(async () => {
    browser = await launchBrowser();
    const options = { partitions: 4, thresholdMs };
    source = await openLeadership('memory:invoices', { ...options, member: 'alice' });
    handler = dashboard(source);
    await eventually('alice leads', () => source.held().size === 4);
    other = await openLeadership('memory:invoices', { ...options, member: 'bob' });
    await eventually('bob leads its share', () => other.held().size === 2);
    server = createServer(handler);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });

  afterAll(async () => {
    await browser?.close();
    handler?.[Symbol.dispose]();
    server?.closeAllConnections();
    server?.close();
    await Promise.all([source?.close(), other?.close()]);
  });

  async function opened(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(address);
    await page.waitForSelector('#leaders tbody tr');
    expect(errors).toEqual([]);
    return page;
  }

  const text = (page: Page, selector: string): Promise<string | null> =>
    page.locator(selector).textContent();

  it('shows leaders, members, terms and the guarantee, and requests nothing else', async () => {
    const page = await browser.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(address);
    await page.waitForSelector('#leaders tbody tr');
    expect(await text(page, '#summary')).toBe('4 of 4 partitions have a leader · healthy');
    const leaders = await text(page, '#leaders');
    expect(leaders).toContain('alice');
    expect(leaders).toContain('bob');
    expect(await page.locator('#members tbody tr').count()).toBe(2);
    expect(await text(page, '#standing')).toBe('2 members: 2 lead, none stands by.');
    expect(await text(page, '#terms')).toContain('handed over');
    expect(await text(page, '#guarantee')).toContain('At most one leader at a time');
    expect(new Set(requests)).toEqual(new Set([address, `${address}?events`]));
    await page.close();
  });

  it('is mounted below a path with and without a slash, and its icon needs no request', async () => {
    for (const path of ['admin/leadership', 'admin/leadership/']) {
      const page = await browser.newPage();
      const failures: string[] = [];
      page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
      page.on('requestfailed', (request) => failures.push(request.url()));
      await page.goto(`${address}${path}`);
      await page.waitForSelector('#leaders tbody tr');
      expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image.svg/);
      expect(failures).toEqual([]);
      await page.close();
    }
  });

  it('moves the bars of all leases between two states, also of those of other members', async () => {
    const page = await opened();
    const values = Array.from({ length: 4 }, () => new Set<number>());
    await expect
      .poll(async () => {
        for (const [index, seen] of values.entries())
          seen.add(
            await page
              .locator('progress')
              .nth(index)
              .evaluate((bar) => Number(Reflect.get(bar, 'value'))),
          );
        return Math.min(...values.map(({ size }) => size));
      })
      .toBeGreaterThan(5);
    expect(Math.max(...values.flatMap((seen) => [...seen])), 'T').toBeLessThan(1.05 * thresholdMs);
    await page.close();
  });

  it('shows leases beside a long name', async () => {
    const member = `<b>${'x'.repeat(190)}</b>`;
    await using long = await openLeadership('memory:long-names', { member, partitions: 1 });
    await eventually('it leads', () => long.held().size === 1);
    using shown = dashboard(long);
    const second = createServer(shown);
    await new Promise<void>((resolve) => second.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    await page.goto(`http://127.0.0.1:${(second.address() as AddressInfo).port}/`);
    const bar = await page.locator('#leaders progress').boundingBox();
    expect(bar?.x, 'the bar').toBeLessThan(900);
    expect(await text(page, '#leaders')).toContain(member);
    await page.close();
    second.closeAllConnections();
    second.close();
  });

  it('shows the lease of another process as unknown where the backend does not know it', async () => {
    const open = (member: string): Promise<LeadershipSource> =>
      openLeadership('memory:combined', { partitions: 1, thresholdMs: 2000, member });
    await using leader = await open('alice');
    await eventually('alice leads', () => leader.held().size === 1);
    await using observer = anyOf(await open('bob'));
    using shown = dashboard(observer);
    const second = createServer(shown);
    await new Promise<void>((resolve) => second.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(second.address() as AddressInfo).port}/`);
    await expect.poll(() => text(page, '#leaders')).toContain('aliceunknown');
    expect(await text(page, '#guarantee')).toContain('Two leaders are possible for a while. As');
    await page.close();
    second.closeAllConnections();
    second.close();
  });

  it('shows a change without a reload', async () => {
    const page = await opened();
    const before = await page.locator('#terms tr').count();
    const [partition = 0] = other.held().keys();
    await other.role(partition).resign();
    await expect.poll(() => page.locator('#terms tr').count()).toBeGreaterThan(before);
    await page.close();
  });

  it('says in words how a term ended and how long nobody led, by the pointer and by the keyboard', async () => {
    const page = await opened();
    const detail = page.locator('#term-detail');
    expect(await detail.textContent()).toContain('use the arrow keys');
    expect(await text(page, '#watched')).toContain('Watched since');
    const [partition = 0] = source.held().keys();
    await source.role(partition).resign();
    const ended = page.locator('#timeline [aria-label*="Handed over: its leader released it"]');
    await expect.poll(() => ended.count()).toBeGreaterThan(0);
    await ended.first().hover();
    await expect.poll(() => detail.textContent()).toContain('Handed over: its leader released it');

    const focused = (): Promise<string> =>
      page.evaluate('document.activeElement.getAttribute("aria-label") ?? ""');
    // One mark is reached by the tab key, and the others from there.
    expect(await page.locator('#timeline [tabindex="0"]').count()).toBe(1);
    await page.locator('#timeline [tabindex="0"]').focus();
    await page.keyboard.press('Home');
    expect(await focused()).toContain('alice led partition');
    expect(await detail.textContent()).toBe(await focused());
    const gap = page.locator('#timeline [aria-label^="Nobody led partition"]');
    if ((await gap.count()) > 0) {
      await gap.first().focus();
      expect(await detail.textContent()).toContain('before: handed over');
    }
    // A new state, each second, keeps the focus where it was.
    await page.locator('#timeline [aria-label*=" leads partition"]').last().focus();
    const before = await focused();
    await expect.poll(focused).not.toBe(before);
    expect((await focused()).slice(0, 20)).toBe(before.slice(0, 20));
    await page.keyboard.press('ArrowLeft');
    expect(await focused()).not.toMatch(/^$| leads partition/);
    await page.close();
  });

  it('says since when it watches: after a restart, earlier ends are not known', async () => {
    const startedMs = Math.floor(Date.now() / 1000) * 1000;
    using restarted = dashboard(source);
    const second = createServer(restarted);
    await new Promise<void>((resolve) => second.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage({ locale: 'en-US' });
    await page.goto(`http://127.0.0.1:${(second.address() as AddressInfo).port}/`);
    await expect.poll(() => page.locator('#terms tr').count()).toBe(4);
    expect(await text(page, '#terms')).not.toContain('handed over');
    expect(await text(page, '#terms')).toContain('led before the watch');
    const since = /Watched since (.*), when the server/.exec((await text(page, '#watched')) ?? '');
    expect(Date.parse(since?.[1] ?? '')).toBeGreaterThanOrEqual(startedMs);
    await page.close();
    second.closeAllConnections();
    second.close();
  });

  it('says that no member has ever opened the group, and shows it once one has', async () => {
    const options = { partitions: 2, log: false } as const;
    await using observer = await openLeadership('memory:unopened', { ...options, campaign: false });
    using unopened = dashboard(observer);
    const own = createServer(unopened);
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage();
    const summary = (): Promise<string | null> => page.textContent('#summary');
    try {
      await page.goto(`http://127.0.0.1:${(own.address() as AddressInfo).port}/`);
      await expect.poll(summary).toBe('no member has ever opened this group · 1 trouble');
      expect(await page.locator('#leaders tbody tr').count()).toBe(0);
      await using _ = await openLeadership('memory:unopened', options);
      await expect.poll(summary).toBe('2 of 2 partitions have a leader · healthy');
    } finally {
      await page.close();
      own.closeAllConnections();
      own.close();
    }
  });

  it('shows members, roles and a hand-over where members elect among themselves: Nerio', async () => {
    const hosts = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
    const members = await Promise.all(
      hosts.map((host) => {
        const options = { partitions: 1, thresholdMs: 2000, log: false } as const;
        return openLeadership(`nerio://${hosts.join()}/shown?member=${host}`, options);
      }),
    );
    const leading = (): number => members.findIndex((member) => member.held().size === 1);
    const first = await eventually('one leads', () => members[leading()]);
    const others = members.filter((member) => member !== first);
    // The member of the page asks for no role, so the name comes from another one.
    others[1]?.role('invoice-run');
    using shown = dashboard(others[0] ?? first);
    const own = createServer(shown);
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage();
    try {
      await page.goto(`http://127.0.0.1:${(own.address() as AddressInfo).port}/`);
      await expect.poll(() => text(page, '#standing')).toBe('3 members: 1 leads, 2 stand by.');
      await expect.poll(() => text(page, '#leaders')).toContain('invoice-run');
      expect(await page.locator('#members tbody tr').count()).toBe(3);
      await eventually('another one leads', async () => {
        await first.role(0).resign();
        return leading() >= 0 && members[leading()] !== first;
      });
      // The end of a term of another member is not seen there, but that the next one began.
      await expect.poll(() => text(page, '#terms')).toContain('superseded');
      const successors = hosts.filter((_, index) => members[index] !== first);
      await expect
        .poll(async () => {
          const shownLeaders = (await text(page, '#leaders')) ?? '';
          return successors.some((host) => shownLeaders.includes(host));
        })
        .toBe(true);
      await first.close();
      await expect.poll(() => text(page, '#standing')).toContain('2 members: ');
    } finally {
      await page.close();
      own.closeAllConnections();
      own.close();
      await Promise.all(members.map((member) => member.close()));
    }
  });

  it('fits on a phone, and is dark if the reader prefers it', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [name, viewport] of [
        ['phone', { width: 375, height: 800 }],
        ['desktop', { width: 1200, height: 1000 }],
      ] as const) {
        const page = await opened({ colorScheme, viewport });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, `the page is wider than the ${name}`).toBeLessThanOrEqual(0);
        await keepScreenshot(page, `dashboard/${name}-${colorScheme}`, true);
        await page.close();
      }
    }
    const dark = await opened({ colorScheme: 'dark' });
    expect(await dark.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(16, 21, 28)',
    );
    await dark.close();
  });

  it('keeps its columns readable on a phone beside long names', async () => {
    const member = `\u202e\u001b${'billing-worker.eu-central-1:'.repeat(4)}東京サーバー`;
    await using long = await openLeadership('memory:phone', { member, partitions: 2 });
    await using short = await openLeadership('memory:phone', { member: 'bob', partitions: 2 });
    await eventually('both lead', () => long.held().size === 1 && short.held().size === 1);
    using shown = dashboard(long);
    const second = createServer(shown);
    await new Promise<void>((resolve) => second.listen(0, '127.0.0.1', resolve));
    const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    await page.goto(`http://127.0.0.1:${(second.address() as AddressInfo).port}/`);
    await page.waitForSelector('#terms tr');
    await keepScreenshot(page, 'dashboard/phone-long-names', true);
    expect(await text(page, '#leaders')).toContain(String.raw`\u{202e}\u{1b}billing`);
    for (const cell of [
      '#leaders td:nth-child(2)',
      '#members tbody th',
      '#terms td:nth-child(3)',
    ]) {
      const boxes = await Promise.all(
        (await page.locator(cell).all()).map((one) => one.boundingBox()),
      );
      // The long name wraps after many letters, not after every few.
      const widest = Math.max(...boxes.map((box) => box?.width ?? 0));
      expect(widest, cell).toBeGreaterThanOrEqual(200);
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow, 'the page is wider than the phone').toBeLessThanOrEqual(0);
    await page.close();
    second.closeAllConnections();
    second.close();
  });

  it('names its parts for screen readers', async () => {
    const page = await opened();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('invoices');
    for (const name of ['Leaders', 'Members', 'Terms'])
      expect(await page.getByRole('region', { name }).count()).toBe(1);
    expect(await page.getByRole('status').count()).toBe(1);
    expect(
      await page.getByRole('progressbar', { name: 'remaining lease of partition' }).count(),
    ).toBeGreaterThan(0);
    expect(await page.getByRole('rowheader', { name: 'alice' }).count()).toBe(1);
    await page.close();
  });

  it('reports a server that has gone', async () => {
    const page = await opened();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect.poll(() => text(page, '#summary')).toContain('The server does not answer');
    await page.close();
  });
});
