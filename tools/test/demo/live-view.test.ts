import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DemoEvent, Setup } from '../../src/demo/demo-event.ts';
import { LiveView } from '../../src/demo/live-view.ts';
import { Screen } from './screen.ts';

const setup: Setup = {
  backend: 'file',
  home: 'two processes',
  members: ['alice', 'bob'],
  thresholdMs: 1000,
  guarantees: {
    exclusive: true,
    tokens: 'ordered',
    handover: 'drained',
    assumes: [],
    overlapMsMax: 0,
    failoverMsMax: 1166,
  },
  command: 'leadership run',
};
const opened: DemoEvent = { kind: 'setup', setup };
const leads: DemoEvent = {
  kind: 'member',
  atNs: 5n,
  member: 'alice',
  event: { kind: 'leads', atNs: 5n, token: 42n },
};
const killed: DemoEvent = { kind: 'killed', atNs: 1_500_000_000n, member: 'alice', pid: 1 };

function terminal(columns: number, colours: boolean): { out: WriteStream; screen: Screen } {
  const stream = Object.assign(new PassThrough(), { columns, hasColors: () => colours });
  const screen = new Screen();
  stream.on('data', (chunk: Buffer) => screen.write(chunk.toString()));
  return { out: stream as unknown as WriteStream, screen };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the terminal view', () => {
  it('keeps one line per member at the bottom and redraws it in place', async () => {
    const { out, screen } = terminal(80, false);
    using view = new LiveView(out, 0n, () => 500);
    for (const demoEvent of [opened, leads]) view.show(demoEvent);
    await vi.advanceTimersByTimeAsync(300);
    expect(screen.lines.slice(-2)).toEqual([
      '  ● alice  leading   term 42  ━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌   500 ms left',
      '  · bob    starting',
    ]);
    expect(screen.lines.filter((line) => line.includes('alice  leading'))).toHaveLength(1);
  });

  it('writes events above the members, and ignores what the command of a killed member still says', async () => {
    const { out, screen } = terminal(80, false);
    using view = new LiveView(out, 0n, () => 500);
    for (const demoEvent of [opened, leads, killed, leads]) view.show(demoEvent);
    await vi.advanceTimersByTimeAsync(300);
    expect(screen.lines).toContain('   1.500 s  alice  killed     process 1, by SIGKILL');
    expect(screen.lines.at(-2)).toBe('  ✕ alice  killed');
  });

  it('is never wider than the terminal', async () => {
    const { out, screen } = terminal(30, false);
    using view = new LiveView(out, 0n, () => 500);
    for (const demoEvent of [opened, leads, killed]) view.show(demoEvent);
    await vi.advanceTimersByTimeAsync(300);
    expect(Math.max(...screen.lines.map(({ length }) => length))).toBe(30);
  });

  it('leaves the events and a visible cursor, but no block', async () => {
    const { out, screen } = terminal(80, true);
    const view = new LiveView(out, 0n, () => 500);
    for (const demoEvent of [opened, leads]) view.show(demoEvent);
    view[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(300);
    expect(screen.raw).toContain('\u001b[?25l');
    expect(screen.raw.endsWith('\u001b[?25h')).toBe(true);
    expect(screen.lines.at(-1)).toContain('alice  leads');
    expect(screen.lines.join('\n')).not.toContain('leading');
  });
});
