// The tests of the page and `leadership status` against the truth: which processes of a group of five
// are alive, and which of them leads, while they are killed, stopped and started.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openLeadership } from '@leadership/core';
import { dashboard } from '@leadership/dashboard';
import { eventually } from '@leadership/testkit/adapter';
import { type ProcessMember, spawnMember } from '@leadership/testkit/faults';
import { hasBrowser, launchBrowser } from '@leadership/tools/browser';
import { hasKubernetes, kubectlProxy, localKubernetes } from '@leadership/tools/kubernetes';
import { hasPostgres, startPostgres } from '@leadership/tools/postgres';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const thresholdMs = 2000;
const command = fileURLToPath(new URL('../../../packages/cli/lib/main.js', import.meta.url));
const run = promisify(execFile);

/** Where a group can be opened. Disposing removes it. */
interface Place extends AsyncDisposable {
  readonly url: string;
}

/** The present members and the leader. */
interface View {
  readonly members: readonly string[];
  readonly leader: string | undefined;
}

/** The events that begin or end a term. */
const changes: readonly string[] = ['acquired', 'released', 'fenced'];

const nobody: View = { members: [], leader: undefined };

/** The stores on which a group can be. */
const places = {
  files: {
    isHere: () => Promise.resolve(true),
    async open() {
      const folder = await mkdtemp(join(tmpdir(), 'leadership-five-'));
      return {
        url: `file:${folder}?group=five`,
        [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
      };
    },
  },
  Postgres: {
    isHere: hasPostgres,
    async open() {
      const server = await startPostgres();
      const { user, password, host, port, database } = server;
      // No URL contains a secret. Members and commands inherit it.
      vi.stubEnv('PGPASSWORD', password);
      return {
        url: `postgres://${host}:${port}/${database}?user=${user}&group=five`,
        async [Symbol.asyncDispose]() {
          vi.unstubAllEnvs();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  },
  Kubernetes: {
    isHere: hasKubernetes,
    async open() {
      const server = await localKubernetes();
      const proxy = await kubectlProxy(server);
      return {
        url: `kubernetes:default?group=five&server=${proxy.url}`,
        async [Symbol.asyncDispose]() {
          await proxy[Symbol.asyncDispose]();
          await server[Symbol.asyncDispose]();
        },
      };
    },
  },
} satisfies Record<string, { isHere(): Promise<boolean>; open(): Promise<Place> }>;

/** Registers a test for each of these stores. */
export async function shownAsItIs(...names: readonly (keyof typeof places)[]): Promise<void> {
  const here = await Promise.all(names.map((name) => places[name].isHere()));
  describe.skipIf(!hasBrowser())('a group of five', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(() => browser?.close());

    names.forEach((name, index) => {
      it.runIf(here[index])(`is shown as it is, on ${name}`, () =>
        followed(browser, name, places[name].open),
      );
    });
  });
}

/** Compares the page and the command with the processes, after each change. */
async function followed(browser: Browser, name: string, open: () => Promise<Place>): Promise<void> {
  await using place = await open();
  await using group = new Five(place.url);
  for (let index = 1; index <= 5; index += 1) await group.start();
  await using page = await shownPage(browser, place.url);
  const agree = async (event: string): Promise<void> => {
    const beganAt = performance.now();
    const isTrue = (view: View): boolean => isSame(view, group.truth());
    await eventually(`${event}: the page agrees`, async () => isTrue(await page.view()));
    const [pageMs, askedAt] = [performance.now() - beganAt, performance.now()];
    await eventually(`${event}: status agrees`, async () => isTrue(await statusOf(place.url)));
    const statusMs = performance.now() - askedAt;
    console.log(
      `${name}, ${event}: the page after ${pageMs.toFixed()} ms, then status after ${statusMs.toFixed()} ms`,
    );
  };
  await agree('five members');
  await group.leader.kill();
  await agree('the leader is killed');
  await group.leader.close();
  await agree('the leader is closed');
  await group.start();
  await agree('one is started');
  const paused = group.leader;
  group.pause(paused);
  await agree('the leader is paused');
  group.resume(paused);
  await agree('it continues');
  await group.standby.kill();
  await agree('a standby is killed');
  expect(group.truth().members).toHaveLength(3);
  await group.killAll();
  await eventually('the page shows nobody', async () => isSame(await page.view(), nobody));
  // Its rows look as if they lived. The first answer is right.
  expect(await statusOf(place.url)).toEqual(nobody);
}

/** The processes of the group. */
class Five implements AsyncDisposable {
  readonly #url: string;
  readonly #members: ProcessMember[] = [];
  /** A process that is stopped is not there, although it is alive. */
  readonly #paused = new Set<ProcessMember>();

  constructor(url: string) {
    this.#url = url;
  }

  async killAll(): Promise<void> {
    for (const member of this.#living) await member.kill();
  }

  pause(member: ProcessMember): void {
    this.#paused.add(member);
    member.pause();
  }

  resume(member: ProcessMember): void {
    member.resume();
    this.#paused.delete(member);
  }

  async start(): Promise<void> {
    const member = `m${this.#members.length + 1}`;
    const options = { member, thresholdMs };
    const started = await spawnMember({ url: this.#url, options, work: { kind: 'idle' } });
    this.#members.push(started);
    await started.until(({ kind }) => kind === 'ready', 60_000);
  }

  /** Those whose processes run, and the latest of them that leads by its own events. */
  truth(): View {
    const members = this.#living.map(({ member }) => member).sort();
    return { members, leader: this.#leading?.member };
  }

  get leader(): ProcessMember {
    const leader = this.#leading;
    if (leader === undefined) throw new Error('no process leads');
    return leader;
  }

  get standby(): ProcessMember {
    const standby = this.#living.find((one) => one !== this.#leading);
    if (standby === undefined) throw new Error('no process stands by');
    return standby;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#members.map((member) => member[Symbol.asyncDispose]()));
  }

  get #living(): readonly ProcessMember[] {
    return this.#members.filter((one) => isAlive(one.pid) && !this.#paused.has(one));
  }

  get #leading(): ProcessMember | undefined {
    return this.#living
      .flatMap((member) => {
        const event = member.events.findLast(({ kind }) => changes.includes(kind));
        return event?.kind === 'acquired' ? [{ member, event }] : [];
      })
      .sort((a, b) => (a.event.atNs < b.event.atNs ? -1 : 1))
      .at(-1)?.member;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isSame(a: View, b: View): boolean {
  const isLed = a.leader !== undefined || a.members.length === 0;
  return isLed && JSON.stringify(a) === JSON.stringify(b);
}

/** A page of the dashboard in the browser. */
async function shownPage(
  browser: Browser,
  url: string,
): Promise<AsyncDisposable & { view(): Promise<View> }> {
  const observer = await openLeadership(url, { campaign: false, thresholdMs, log: false });
  const handler = dashboard(observer);
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page: Page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return {
    async view() {
      // Members that have led and are no longer present stay in the table.
      const present = await page
        .locator('#members tbody tr')
        .filter({ hasNotText: 'gone' })
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key') ?? ''));
      const leader = await page.locator('#leaders tbody').textContent();
      return { members: present.sort(), leader: /m\d/.exec(leader ?? '')?.[0] };
    },
    async [Symbol.asyncDispose]() {
      await page.close();
      handler[Symbol.dispose]();
      server.closeAllConnections();
      server.close();
      await observer.close();
    },
  };
}

/** Returns the report of `leadership status`. It exits with an error if no member leads. */
async function statusOf(url: string): Promise<View> {
  const { stdout } = await run(process.execPath, [command, 'status', url, '--json']).catch(
    (error: { readonly stdout: string }) => error,
  );
  const { leaders = [], members = [] } = JSON.parse(stdout || '{}') as {
    readonly leaders?: readonly { readonly leader: { readonly member: string } | null }[];
    readonly members?: readonly { readonly member: string }[];
  };
  return {
    members: members.map(({ member }) => member).sort(),
    leader: leaders[0]?.leader?.member,
  };
}
