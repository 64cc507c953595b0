// `leadership run --slots N`: N of any number of processes run the command, at most once each (M13).
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { type Command, startCommand } from './support/command.ts';
import { type Group, temporaryGroup } from './support/group.ts';
import { growingFile, type NewLines } from './support/growing-file.ts';

/** T. Milliseconds. */
const thresholdMs = 4000;
const slots = 3;
const processes = 7;

const program = fileURLToPath(new URL('./support/worker.mjs', import.meta.url));

/** A command acts from its first line to its last one. */
interface Run {
  readonly pid: number;
  readonly slot: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

function startSlots({ url, directory }: Group, options: readonly string[] = ['3']): Command {
  const ofGroup = url.replace('&partitions=1', '');
  const worker = [process.execPath, program, join(directory, 'journal'), 'worker'];
  return startCommand([
    'run',
    ofGroup,
    '--stop-timeout',
    '1',
    '--slots',
    ...options,
    '--',
    ...worker,
  ]);
}

/** The part of each group's log that was read. */
const logs = new WeakMap<Group, { readonly newLines: NewLines; readonly runs: Map<number, Run> }>();

/** Returns all runs so far, by the log that the commands themselves write every 5 ms. */
function runsIn(group: Group): readonly Run[] {
  const log = logs.get(group) ?? {
    newLines: growingFile(join(group.directory, 'journal')),
    runs: new Map<number, Run>(),
  };
  logs.set(group, log);
  for (const line of log.newLines().filter((one) => one.endsWith('}'))) {
    const { pid, slot, atNs } = JSON.parse(line);
    const atMs = Number(BigInt(atNs)) / 1e6;
    log.runs.set(pid, { pid, slot, firstMs: log.runs.get(pid)?.firstMs ?? atMs, lastMs: atMs });
  }
  return [...log.runs.values()];
}

/** Returns the greatest number of commands that acted at once. */
function mostAtOnce(runs: readonly Run[]): number {
  return Math.max(
    ...runs.map(
      ({ firstMs }) => runs.filter((one) => one.firstMs <= firstMs && firstMs <= one.lastMs).length,
    ),
  );
}

/** The commands that have acted a moment ago. */
function actingIn(group: Group): readonly Run[] {
  const nowMs = Number(process.hrtime.bigint()) / 1e6;
  return runsIn(group).filter(({ lastMs }) => nowMs - lastMs < 250);
}

const running = async (group: Group, count: number): Promise<readonly Run[]> => {
  await eventually(`${count} commands run`, () => actingIn(group).length === count);
  return actingIn(group);
};

/** Returns the process of `run` that has started a command: the parent of its watchdog. */
function leaderOf(commands: readonly Command[], { slot }: Run): Command | undefined {
  return commands.findLast(({ stderr, process: { exitCode, signalCode } }) => {
    const lines = stderr()
      .split('\n')
      .filter((line) => line.includes('leads slot'));
    const isOver = exitCode !== null || signalCode !== null;
    return !isOver && lines.at(-1)?.includes(`leads slot ${slot} `) === true;
  });
}

describe.skipIf(process.platform === 'win32')('run --slots', () => {
  it('runs three commands of seven processes under kills: never more by their own log, and three within T after each', async () => {
    // A claim takes milliseconds, and some seconds on a busy host. Without its watchdog, the lease of a
    // killed process would last for two thirds of this at least.
    await using group = await temporaryGroup(20_000);
    const commands = Array.from({ length: processes }, () => startSlots(group));
    try {
      await running(group, slots);
      // Others claim after a proved death once the term is older than T (M10).
      await pause(21_000);
      const tookMs: number[] = [];
      for (let faults = 0; faults < slots; faults += 1) {
        const [victim] = await running(group, slots);
        const leader = victim && leaderOf(commands, victim);
        const before = new Set(runsIn(group).map(({ pid }) => pid));
        const killedMs = Number(process.hrtime.bigint()) / 1e6;
        leader?.process.kill('SIGKILL');
        const next = await eventually('another command takes the slot', () =>
          // On a busy host, another slot may move meanwhile.
          runsIn(group).find(({ pid, slot }) => !before.has(pid) && slot === victim?.slot),
        );
        tookMs.push(Math.round(next.firstMs - killedMs));
        await eventually('its watchdog says why', () =>
          leader?.stderr().includes('is dead, and its command has ended'),
        );
      }
      await running(group, slots);
      console.log(`three again after ${tookMs.join(', ')} ms`);
      expect(Math.max(...tookMs), '2 T/3').toBeLessThan(13_300);
      expect(mostAtOnce(runsIn(group))).toBe(slots);
      expect(new Set(runsIn(group).map(({ slot }) => slot))).toEqual(new Set(['0', '1', '2']));
    } finally {
      await Promise.all(commands.map((command) => command[Symbol.asyncDispose]()));
    }
  }, 180_000);

  it('a process that ends in order passes its slot on at once, and one that dies leaves it to another', async () => {
    await using group = await temporaryGroup(20_000);
    await using first = startSlots(group, ['1']);
    await running(group, 1);
    await using second = startSlots(group, ['1']);
    await eventually('it campaigns', () =>
      second.stderr().includes('campaigns for one of 1 slots'),
    );
    await pause(2000); // The successor joins the group.
    const endedMs = Number(process.hrtime.bigint()) / 1e6;
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    await eventually('the other runs', () => runsIn(group).length === 2);
    const next = runsIn(group).at(-1);
    expect((next?.firstMs ?? 0) - endedMs, 'half of T').toBeLessThan(10_000);
    expect(mostAtOnce(runsIn(group))).toBe(1);
  }, 60_000);

  it('refuses another number of slots than the group has, and a number of partitions beside it', async () => {
    await using group = await temporaryGroup(thresholdMs);
    await using _first = startSlots(group, ['1']);
    await running(group, 1);
    await using other = startSlots(group, ['2']);
    expect(await other.ended).toBe(125);
    expect(other.stderr()).toContain('with slots by --slots NUMBER');
    await using both = startCommand(['run', group.url, '--slots', '2', '--', 'true']);
    expect(await both.ended).toBe(125);
    expect(both.stderr()).toContain('--slots 2 needs as many partitions');
    await using kafka = startCommand([
      'run',
      'nerio://a:1,b:1/g?member=a:1',
      '--slots',
      '2',
      '--',
      'true',
    ]);
    expect(await kafka.ended).toBe(125);
    expect(kafka.stderr()).toContain('campaign.partitionsMax 1 is not supported by the');
  }, 60_000);

  it('hands the slot over that resign --slot names, to a process that stands by', async () => {
    await using group = await temporaryGroup(thresholdMs);
    await using first = startSlots(group, ['1']);
    const [before] = await running(group, 1);
    await using second = startSlots(group, ['1']);
    await eventually('it campaigns', () =>
      second.stderr().includes('campaigns for one of 1 slots'),
    );
    await using wrong = startCommand(['resign', group.url, '--slot', '1']);
    expect(await wrong.ended).toBe(2);
    expect(wrong.stderr()).toContain('--slot 1 must be less than 1');
    await using resigning = startCommand(['resign', group.url, '--slot', '0']);
    expect(await resigning.ended, resigning.stderr()).toBe(0);
    expect(resigning.stderr()).toContain('leads slot 0 in term');
    await eventually('another command runs', () =>
      runsIn(group).some(({ pid }) => pid !== before?.pid),
    );
    expect(mostAtOnce(runsIn(group))).toBe(1);
    expect(first.process.exitCode).toBeNull();
  }, 60_000);

  it('needs a role or slots, and not both', async () => {
    const startWith = (...options: readonly string[]): Command =>
      startCommand(['run', 'file:x?group=g', ...options, '--', 'true']);
    await using neither = startWith();
    await using both = startWith('--role', 'r', '--slots', '2');
    await using none = startWith('--slots', '0');
    expect([await neither.ended, await both.ended, await none.ended]).toEqual([125, 125, 125]);
    expect(neither.stderr()).toContain("'--slots <n>' not specified");
    expect(both.stderr()).toContain("cannot be used with option '--slots <n>'");
    expect(none.stderr()).toContain('It must be a whole number from 1 up.');
  });
});
