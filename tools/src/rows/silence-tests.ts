// The tests of a store whose server stops answering.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import { tcpProxy } from '@leadership/testkit/faults';
import { expect, it } from 'vitest';
import { changed, type OpenRows, type RowOutcome } from './open-rows.ts';

/** Opens the rows of a group with this T, as one member that reaches the server at this port. */
export type OpenBehind = (options: {
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly port: number;
}) => OpenRows;

/** Longer than a starved machine delays a notification. Milliseconds. */
const thresholdMs = 2000;
/** A request is given up after this time, and its client may take longer. Milliseconds. */
const [givenUpMs, settledMsMax] = [100, 2500];
/** An observer replaces its listener after several T. Milliseconds. */
const observersThresholdMs = 300;

/** A row that notifications show. */
const shownRow = 'session#a';

/**
 * How members listen to notifications: on a connection of their own, on the one that carries their requests,
 * or not at all.
 */
export type Listening = 'apart' | 'with requests' | 'never';

/** Tests of a server or a connection that is gone without a sign: no data, no FIN, no RST. */
export function silenceTests(
  open: OpenBehind,
  serverPort: () => number,
  listening: Listening = 'apart',
): void {
  it('settles a request soon after it was given up, although the server does not answer', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    await using member = open({ group: randomUUID(), member: 'm', thresholdMs, port: way.port });
    way.halfOpen();
    const beganAt = performance.now();
    const hung = [false, true].map((isAwaited) =>
      changed(member, 'a', null, 'one', isAwaited, AbortSignal.timeout(givenUpMs)),
    );
    for (const one of hung) await expect(one).rejects.toThrow();
    expect(performance.now() - beganAt).toBeLessThan(settledMsMax);
    way.mend();
    // A connection that was being opened is kept, and may fail with the first request.
    const again = (): Promise<RowOutcome> => changed(member, 'a', null, 'one');
    expect(await again().catch(again)).toEqual({ isDone: true });
  });

  if (listening !== 'never') listenerTests(open, serverPort, listening);
}

function listenerTests(
  open: OpenBehind,
  serverPort: () => number,
  kind: Exclude<Listening, 'never'>,
): void {
  // A request without an answer ends the connection that it shares, before a proof is due.
  const cause = {
    apart: /members only poll: a notification .* did not arrive within 1000 ms/,
    'with requests': /members only poll: .*the connection has ended/,
  }[kind];

  it('keeps a listening connection that lives, although no member announces a change', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    const group = randomUUID();
    await using reader = open({ group, member: 'r', thresholdMs, port: way.port });
    using _ = await listen(reader);
    using beat = beats(reader, 'beat');
    await eventually('it is used', () => beat.made > 0);
    const { accepted } = way.counters;
    await pause(2 * thresholdMs);
    expect(reader.host.calls).toEqual([]);
    expect(way.counters.accepted).toBe(accepted);
  });

  it('replaces a listening connection that is silently gone, with a warning until the next one works', async () => {
    await using way = await tcpProxy({ port: serverPort() });
    const group = randomUUID();
    await using writer = open({ group, member: 'w', thresholdMs, port: serverPort() });
    await using reader = open({ group, member: 'r', thresholdMs, port: way.port });
    using listening = await listen(reader);
    // The only connection so far is the one that listens. Changes use another one, or fail.
    way.silence();
    using _ = beats(reader, 'beat');
    const warning = await eventually('it warns', () => [...reader.host.warnings][0]);
    expect(warning).toMatch(cause);
    await eventually('the warning ends', () => reader.host.warnings.size === 0);
    await changed(writer, shownRow, null, 'one', true);
    await eventually('it is notified', () => listening.texts.has('one'));
    expect(reader.host.calls).toHaveLength(1);
  });

  const withoutCause = kind === 'apart' ? 'without a warning' : 'once it reads';
  it(`replaces it ${withoutCause} if this member only observes`, async () => {
    await using way = await tcpProxy({ port: serverPort() });
    const group = randomUUID();
    const common = { group, thresholdMs: observersThresholdMs };
    await using writer = open({ ...common, member: 'w', port: serverPort() });
    await using reader = open({ ...common, member: 'r', port: way.port });
    using listening = await listen(reader);
    const { accepted } = way.counters;
    way.silence();
    using _ = kind === 'apart' ? undefined : readings(reader);
    await eventually('it connects again', () => way.counters.accepted > accepted);
    let text: string | null = null;
    await eventually('it is notified', async () => {
      const next: string = randomUUID();
      await changed(writer, shownRow, text, next, true);
      text = next;
      await pause(observersThresholdMs / 3);
      return listening.texts.has(next);
    });
    // A connection that has ended is a warning until the next one works.
    if (kind === 'apart') expect(reader.host.calls).toEqual([]);
    await eventually('no warning is left', () => reader.host.warnings.size === 0);
  });
}

/** Listens, and notes the texts that notifications show. */
async function listen({
  rows,
}: OpenRows): Promise<Disposable & { readonly texts: ReadonlySet<string> }> {
  const stop = new AbortController();
  const texts = new Set<string>();
  const note = (text: string | null | undefined): void => void (text && texts.add(text));
  await rows.listen?.((shown) => shown?.forEach(([, text]) => note(text)), stop.signal);
  return { texts, [Symbol.dispose]: () => stop.abort() };
}

/** Reads again and again, as an observer does. Disposal ends it. */
function readings({ rows }: OpenRows): Disposable {
  const over = new AbortController();
  const request = { changes: [], since: undefined, mayLag: true };
  const next = async (): Promise<void> => {
    for (; !over.signal.aborted; await pause(observersThresholdMs / 2))
      await rows
        .exchange(request, AbortSignal.timeout(observersThresholdMs))
        .catch(() => undefined);
  };
  void next();
  return { [Symbol.dispose]: () => over.abort() };
}

/** Changes a row again and again, as a candidate does. Disposal ends it. */
function beats(member: OpenRows, name: string): Disposable & { readonly made: number } {
  const over = new AbortController();
  let made = 0;
  const next = async (): Promise<void> => {
    for (let text: string | null = null; !over.signal.aborted; await pause(thresholdMs / 8)) {
      const limit = AbortSignal.timeout(Math.ceil(thresholdMs / 3));
      const sent = randomUUID();
      const outcome: RowOutcome | undefined = await changed(
        member,
        name,
        text,
        sent,
        false,
        limit,
      ).catch(() => undefined);
      if (outcome?.isDone) [made, text] = [made + 1, sent];
      else if (outcome?.found !== undefined) text = outcome.found;
    }
  };
  void next();
  return {
    get made() {
      return made;
    },
    [Symbol.dispose]: () => over.abort(),
  };
}
