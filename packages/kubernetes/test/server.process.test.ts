// One API server, with rights, faults, and what people do to objects.
import { randomUUID } from 'node:crypto';
import { cp, rename, rm } from 'node:fs/promises';
import type { LeadershipSource } from '@leadership/core';
import { monotonicClock } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import {
  hasKubernetes,
  kubectlProxy,
  type LocalKubernetes,
  localKubernetes,
} from '@leadership/tools/kubernetes';
import { changed, listed, type OpenRows } from '@leadership/tools/rows';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, apiOf, type WatchEvent } from '../src/api.ts';
import { kubernetesLeadership } from '../src/index.ts';
import { objectName } from '../src/lease.ts';
import { createAccount, createNamespace, documentedRole } from './support/account.ts';
import { namespace, pathOf, putRow } from './support/administrator.ts';
import { openRows as rowsOf } from './support/open-rows.ts';

const thresholdMs = 2000;

describe.runIf(await hasKubernetes())('on a server of Kubernetes', () => {
  let kubernetes: LocalKubernetes;
  beforeAll(async () => {
    // Each watch ends after one or two seconds, and goes on.
    kubernetes = await localKubernetes({ flags: { 'min-request-timeout': '1' } });
  });
  afterAll(() => kubernetes[Symbol.asyncDispose]());

  const openRows = (group?: string, hinder?: (api: Api) => Api): OpenRows =>
    rowsOf(kubernetes, { thresholdMs, ...(group && { group }) }, hinder);

  const join = (place: string, token: string, campaign = true): LeadershipSource =>
    kubernetesLeadership({
      ...{ group: 'billing', member: 'pod-1', namespace: place, token, thresholdMs, campaign },
      ...{ server: kubernetes.url, tls: { ca: kubernetes.ca }, log: false },
    });

  const leads = (source: LeadershipSource): Promise<true> =>
    eventually('it leads', () => source.role('invoices').isLeading() || undefined, {
      details: () => JSON.stringify(source.health()),
    });

  describe('rights', () => {
    const place = 'rights';
    beforeAll(() => createNamespace(kubernetes, place));

    it('are those of the documented Role: a member leads with them, and kubectl shows who leads', async () => {
      await using source = join(place, await createAccount(kubernetes, place, 'all'));
      await leads(source);
      expect(source.health().warnings).toEqual([]);
      const name = objectName('billing', 'partition#0');
      const { spec } = await kubernetes.call({ path: pathOf(name, place) });
      expect(spec).toMatchObject({ holderIdentity: 'pod-1', leaseDurationSeconds: 2 });
      await source.close();
      const { items } = (await kubernetes.call({ path: pathOf(undefined, place) })) as {
        readonly items: readonly { readonly spec: object; readonly metadata: { name: string } }[];
      };
      const holder = items.find(({ metadata }) => metadata.name === name);
      expect(holder?.spec).not.toHaveProperty('holderIdentity');
    });

    it.each(['get', 'list', 'create', 'update', 'delete'])(
      'without the verb %s: an error names it',
      async (verb) => {
        const token = await createAccount(kubernetes, place, verb, (one) => one !== verb);
        // The server learns of a Role a moment after it was created.
        await eventually('the rest is granted', async () => {
          await using source = join(place, token);
          const error: unknown = await source.ready().catch((refusal: unknown) => refusal);
          expect(error).toMatchObject({ code: 'unauthorized' });
          return String(error).includes(
            `may not ${verb} leases in namespace rights: grant get, list`,
          );
        });
      },
    );

    it('without the verb watch: a member leads, and a warning names it', async () => {
      const token = await createAccount(kubernetes, place, 'watch', (verb) => verb !== 'watch');
      await eventually('the rest is granted', async () => {
        await using source = join(place, token, false);
        return await source.ready().then(
          () => true,
          () => false,
        );
      });
      await using source = join(place, token);
      const warning = await eventually('it warns', () => source.health().warnings[0]);
      expect(warning.message).toMatch(/members only poll: .*cannot watch resource "leases"/);
      await leads(source);
    });

    it('lists exactly the verbs that are tested', async () => {
      const { rules } = await documentedRole();
      expect(rules[0].verbs).toEqual(['get', 'list', 'watch', 'create', 'update', 'delete']);
    });

    it('of an observer are list and watch', async () => {
      const reads = (verb: string): boolean => ['list', 'watch'].includes(verb);
      const token = await createAccount(kubernetes, place, 'observer', reads);
      await eventually('it is ready', async () => {
        await using source = join(place, token, false);
        return await source.ready().then(
          () => source.health().ok,
          () => false,
        );
      });
    });
  });

  describe('a member that watches', () => {
    /** Opens rows that count their lists, and begins to watch. They wait for their watch for T/32. */
    async function watching(
      ownThresholdMs: number,
      events: (all: AsyncIterable<WatchEvent>) => AsyncIterable<WatchEvent>,
    ) {
      let lists = 0;
      const group = rowsOf(kubernetes, { thresholdMs: ownThresholdMs }, (api) => ({
        namespace: (signal) => api.namespace(signal),
        close: () => api.close(),
        send(request, signal) {
          if (request.method === 'GET' && request.path.includes('labelSelector')) lists += 1;
          return api.send(request, signal);
        },
        watch: (path, signal) => events(api.watch(path, signal)),
      }));
      const { rows } = group;
      const stop = new AbortController();
      await rows.listen?.(() => undefined, stop.signal);
      const first = await rows.exchange({ changes: [], since: undefined }, stop.signal);
      lists = 0;
      return {
        rows,
        first,
        lists: () => lists,
        async [Symbol.asyncDispose]() {
          stop.abort();
          await group[Symbol.asyncDispose]();
        },
      };
    }
    const creation = { name: 'a', expected: null, text: '1' };

    it('changes what it has received without a list, and receives its changes', async () => {
      await using member = await watching(300_000, (events) => events);
      const { signal } = new AbortController();
      const request = { changes: [creation], since: member.first.position };
      const second = await member.rows.exchange(request, signal);
      expect(second).toMatchObject({ outcomes: [true], rows: [['a', '1']], isWhole: false });
      const removal = { name: 'a', expected: '1', text: null };
      const third = await member.rows.exchange(
        { changes: [removal], since: second.position },
        signal,
      );
      expect(third).toMatchObject({ outcomes: [true], rows: [['a', null]] });
      expect(member.lists()).toBe(0);
    });

    it('lists after its changes where the watch is late', async () => {
      async function* opened(events: AsyncIterable<WatchEvent>): AsyncIterable<WatchEvent> {
        for await (const event of events) if (event.type === 'OPENED') yield event;
      }
      await using member = await watching(thresholdMs, opened);
      const { signal } = new AbortController();
      const request = { changes: [creation], since: member.first.position };
      expect(await member.rows.exchange(request, signal)).toMatchObject({
        outcomes: [true],
        rows: [['a', '1']],
      });
      expect(member.lists()).toBe(1);
    });
  });

  it('refuses an unknown token and a namespace that does not exist', async () => {
    await using stranger = join(namespace, 'unknown');
    await expect(stranger.ready()).rejects.toMatchObject({ code: 'unauthorized' });
    await using homeless = join('nowhere', kubernetes.token);
    await expect(homeless.ready()).rejects.toThrow(
      /misconfigured-backend|the namespace does not exist: create it/,
    );
  });

  it('ends all terms when the namespace is deleted, and leads again once it exists', async () => {
    const place = 'passing';
    await createNamespace(kubernetes, place);
    await using source = join(place, kubernetes.token);
    await leads(source);
    // What the controller of namespaces does.
    await kubernetes.call({ method: 'DELETE', path: `/api/v1/namespaces/${place}` });
    await kubernetes.call({ method: 'DELETE', path: pathOf(undefined, place) });
    await eventually('it is fenced', () => !source.role('invoices').isLeading());
    const trouble = await eventually('it says why', () => source.health().troubles[0]);
    expect(trouble.message).toMatch(/namespace/);
    const path = `/api/v1/namespaces/${place}/finalize`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place }, spec: {} };
    await kubernetes.call({ method: 'PUT', path, body: { ...body, spec: { finalizers: [] } } });
    await eventually('it is gone', () =>
      createNamespace(kubernetes, place).then(
        () => true,
        () => false,
      ),
    );
    await leads(source);
  });

  it('takes over an object whose label or annotations a person has removed', async () => {
    const group = randomUUID();
    await using member = openRows(group);
    for (const metadata of [{ labels: null }, { annotations: null }]) {
      expect(await changed(member, 'a', null, 'one')).toEqual({ isDone: true });
      const path = pathOf(objectName(group, 'a'));
      await kubernetes.call({ method: 'PATCH', path, body: { metadata } });
      expect(await listed(member)).toEqual(new Map());
      expect(await changed(member, 'a', null, 'two')).toEqual({ isDone: true });
      expect(await listed(member)).toEqual(new Map([['a', 'two']]));
      expect(await changed(member, 'a', 'two', null)).toEqual({ isDone: true });
    }
  });

  it('does not call a row removed that a finalizer keeps, and removes the finalizer with the next text', async () => {
    const group = randomUUID();
    await using member = openRows(group);
    await changed(member, 'a', null, 'one');
    const path = pathOf(objectName(group, 'a'));
    const body = { metadata: { finalizers: ['example.com/keep'] } };
    await kubernetes.call({ method: 'PATCH', path, body });
    expect(await changed(member, 'a', 'one', null)).toEqual({ isDone: false });
    expect(await listed(member)).toEqual(new Map([['a', 'one']]));
    await changed(member, 'a', 'one', 'two');
    expect(await listed(member)).toEqual(new Map());
  });

  it('goes on to notify after the server has ended a watch, and without a warning', async () => {
    const group = randomUUID();
    await using writer = openRows(group);
    await using reader = openRows(group);
    const stop = new AbortController();
    const shown: string[] = [];
    await reader.rows.listen?.(
      (rows) => rows?.forEach(([, text]) => text !== null && shown.push(text)),
      stop.signal,
    );
    const texts = Array.from({ length: 40 }, (_, index) => String(index));
    let before: string | null = null;
    for (const text of texts) {
      await changed(writer, 'session#a', before, text, true);
      await new Promise((resolve) => setTimeout(resolve, 100));
      before = text;
    }
    await eventually('the last one arrives', () => shown.at(-1) === texts.at(-1));
    stop.abort();
    expect(shown).toEqual(texts);
    expect(reader.host.calls).toEqual([]);
  });

  it('watches anew, and reads, after 410 Gone', async () => {
    const group = randomUUID();
    const watched: string[] = [];
    // The server has dropped so old a version.
    const old = (path: string): string => path.replace(/resourceVersion=\d+/, 'resourceVersion=1');
    const over = (api: Api): Api => ({
      namespace: (signal) => api.namespace(signal),
      send: (request, signal) => api.send(request, signal),
      watch: (path, signal) => {
        watched.push(path);
        return api.watch(watched.length === 1 ? old(path) : path, signal);
      },
      close: () => api.close(),
    });
    await using reader = openRows(group, over);
    const stop = new AbortController();
    let woken = 0;
    await reader.rows.listen?.(() => {
      woken += 1;
    }, stop.signal);
    await eventually('it watches again', () => watched.length > 1 && woken > 0);
    // From a new list: a watch from version 0 would show no row that was removed.
    expect(watched[1]).not.toMatch(/resourceVersion=0\b/);
    await putRow(kubernetes, group, 'a', 'one');
    await using writer = openRows(group);
    const before = woken;
    await changed(writer, 'a', 'one', 'two', true);
    await eventually('it is notified', () => woken > before);
    stop.abort();
    expect(reader.host.calls).toEqual([]);
  });

  it('sends nothing while the server asks for a pause (429), and the same request afterwards', async () => {
    await using proxy = await kubectlProxy(kubernetes);
    const api = apiOf({ server: proxy.url }, { clock: monotonicClock });
    using _ = { [Symbol.dispose]: () => api.close() };
    const list = { method: 'GET', path: pathOf() } as const;
    const busy = proxy.refuse(2);
    const beganAt = performance.now();
    const one = api.send(list, AbortSignal.timeout(60_000));
    await eventually('it is refused', () => busy.count > 0);
    const others = [1, 2, 3].map(() => api.send(list, AbortSignal.timeout(500)));
    for (const other of others) await expect(other).rejects.toThrow();
    const before = busy.count;
    await expect(api.send(list, AbortSignal.timeout(500))).rejects.toThrow();
    expect(busy.count).toBe(before);
    busy[Symbol.dispose]();
    expect(await one).toHaveProperty('items');
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(2000);
  });

  it('goes on after the server was killed and started again', async () => {
    const group = randomUUID();
    await using member = openRows(group);
    const stop = new AbortController();
    let woken = 0;
    await member.rows.listen?.(() => {
      woken += 1;
    }, stop.signal);
    await changed(member, 'a', null, 'one');
    await using source = join(namespace, kubernetes.token);
    await leads(source);
    const token = source.role('invoices').term()?.token ?? 0n;
    await kubernetes.server.kill();
    await expect(changed(member, 'a', 'one', 'lost')).rejects.toMatchObject({
      code: 'unreachable',
    });
    await eventually('it warns', () => member.host.warnings.size > 0);
    await kubernetes.server.start();
    await eventually('the warning ends', () => member.host.warnings.size === 0);
    expect(await listed(member)).toEqual(new Map([['a', 'one']]));
    const before = woken;
    await using writer = openRows(group);
    await changed(writer, 'a', 'one', 'two', true);
    await eventually('it is notified', () => woken > before);
    stop.abort();
    await leads(source);
    expect(source.role('invoices').term()?.token ?? 0n).toBeGreaterThanOrEqual(token);
  });

  it('shows another history to a reader if the disk of etcd went back', async () => {
    const { server, etcd } = kubernetes;
    const data = `${etcd.directory}/data`;
    await using member = openRows();
    await changed(member, 'a', null, 'one');
    // All API servers are stopped while etcd is restored.
    await server.kill();
    await etcd.stop();
    await cp(data, `${data}-kept`, { recursive: true });
    await etcd.start();
    await server.start();
    const signal = AbortSignal.timeout(60_000);
    const first = await member.rows.exchange({ changes: [], since: undefined }, signal);
    const lost = { name: 'a', expected: 'one', text: 'lost' };
    const made = await member.rows.exchange({ changes: [lost], since: first.position }, signal);
    const { position } = await member.rows.exchange({ changes: [], since: made.position }, signal);
    expect(made.outcomes).toEqual([true]);
    await server.kill();
    await etcd.kill();
    await rm(data, { recursive: true });
    await rename(`${data}-kept`, data);
    await etcd.start();
    await server.start();
    const change = { name: 'a', expected: 'one', text: 'two' };
    const answer = await member.rows.exchange({ changes: [change], since: position }, signal);
    expect(answer).toMatchObject({ isRestarted: true, outcomes: [false], rows: [['a', 'one']] });
    const next = await member.rows.exchange({ changes: [change], since: answer.position }, signal);
    expect([next.isRestarted ?? false, ...next.outcomes]).toEqual([false, true]);
  });
});
