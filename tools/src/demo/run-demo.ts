// The steps of the demo: three members start and one leads. The leader crashes and another member
// takes over, several times. Then the leader hands over in order, and all members close.
import { setTimeout as pause } from 'node:timers/promises';
import type { Guarantees } from '@leadership/core';
import type { DemoEvent, Setup, Succession, Summary } from './demo-event.ts';
import type { Environment } from './environment.ts';
import { memberNames } from './member-names.ts';
import { Members } from './members.ts';
import { acquired, is, opened } from './message-filters.ts';
import { Recorder } from './recorder.ts';
import { verdict } from './verdict.ts';

/**
 * T of the demo, in milliseconds. With a shorter T, a busy machine may lose the lease without a
 * crash.
 */
const thresholdMs = 1000;
/** How long the demo shows each state, in milliseconds. */
const waitMs = 900;
/**
 * Timeout for each step, in milliseconds. Generous, because processes start slowly on a busy
 * machine.
 */
const patienceMs = 60_000;

/** How to run the demo. */
export interface DemoOptions {
  readonly environment: Environment;
  readonly trials: number;
  readonly signal: AbortSignal;
  readonly show: (demoEvent: DemoEvent) => void;
}

interface DemoContext extends DemoOptions {
  readonly members: Members;
  readonly recorder: Recorder;
}

/** Runs the demo and returns its result. Rejects if a step takes too long or a member fails. */
export async function runDemo(to: DemoOptions): Promise<Summary> {
  await using members = new Members(to.environment, thresholdMs, to.signal);
  const recorder = new Recorder(to.show);
  members.messages$.subscribe({
    next: (message) => recorder.record(message),
    error: () => undefined,
  });
  const context: DemoContext = { ...to, members, recorder };
  const setup = setupOf(to.environment, await begin(context));
  const successions: Succession[] = [];
  for (let trial = 0; trial < to.trials; trial += 1) {
    successions.push(await crash(context));
    await restart(context, successions.at(-1)?.from);
  }
  successions.push(await handOver(context));
  await wait(context);
  await members.close();
  return verdict(setup, successions, recorder.observations);
}

/** Starts all members and waits until one of them leads. */
async function begin(context: DemoContext): Promise<Guarantees> {
  const { members, environment, show } = context;
  const first = members.next(opened, patienceMs, 'no member started');
  const leader = members.next(acquired(), patienceMs, 'no member led');
  leader.catch(() => undefined);
  const started = memberNames.map((member) => start(context, member));
  const { message } = await first;
  if (message.kind !== 'opened') throw new Error('a member sent a message before it opened');
  show({ kind: 'setup', atNs: message.atNs, setup: setupOf(environment, message.guarantees) });
  started.forEach(show);
  await leader;
  return message.guarantees;
}

/** Crashes the leader and waits until another member leads. */
async function crash(context: DemoContext): Promise<Succession> {
  const { members, recorder, environment, show } = context;
  // The leader renews every T/3. A random delay lets crashes fall anywhere between two renewals.
  await wait(context, (Math.random() * thresholdMs) / 3);
  const from = members.handle(recorder.leader);
  recorder.takeStallMs();
  environment.answers?.takeMs();
  const successor = members.next(
    acquired(from.member),
    patienceMs,
    `no member replaced ${from.member}`,
  );
  const crashedNs = from.crash();
  show({
    kind: 'crashed',
    atNs: crashedNs,
    member: from.member,
    pid: from.pid,
    how: environment.crashed,
  });
  const { member, message } = await successor;
  return reportSuccession(context, {
    cause: 'crash',
    from: from.member,
    to: member,
    tookMs: msBetween(crashedNs, message.atNs),
    stallMs: recorder.takeStallMs(),
    ...(environment.answers && { answerMs: environment.answers.takeMs() }),
  });
}

/** Starts the crashed member again under the same name, and waits until it can vote. */
async function restart(context: DemoContext, member = ''): Promise<void> {
  await wait(context);
  const ready = context.members.next(
    is('ready', member),
    patienceMs,
    `${member} was not ready again`,
  );
  context.show(start(context, member));
  await ready;
}

/**
 * Makes the leader resign: its work drains first, then another member leads. A leader that has lost
 * its lease on a busy machine releases nothing: then the next leader is asked.
 */
async function handOver(context: DemoContext): Promise<Succession> {
  const { members, recorder, show } = context;
  await wait(context);
  const from = recorder.leader;
  const isReleased = is('released', from);
  const isFenced = is('fenced', from);
  const [end, nextLeader, successor] = [
    members.next(
      (message) => isReleased(message) || isFenced(message) || acquired()(message),
      patienceMs,
      `${from} did not release`,
    ),
    members.next(acquired(), patienceMs, `no member led after ${from}`),
    members.next(acquired(from), patienceMs, `no member followed ${from}`),
  ];
  for (const expected of [end, nextLeader, successor]) expected.catch(() => undefined);
  const askedNs = process.hrtime.bigint();
  show({ kind: 'asked', atNs: askedNs, member: from });
  recorder.takeStallMs();
  members.handle(from).send('hand-over');
  const released = await end;
  if (!isReleased(released)) {
    await nextLeader;
    return handOver(context);
  }
  const { member, message } = await successor;
  return reportSuccession(context, {
    cause: 'hand-over',
    from,
    to: member,
    tookMs: msBetween(released.message.atNs, message.atNs),
    drainedMs: msBetween(askedNs, released.message.atNs),
    stallMs: recorder.takeStallMs(),
  });
}

function start({ members }: DemoContext, member: string): DemoEvent {
  const { pid } = members.start(member);
  return { kind: 'started', atNs: process.hrtime.bigint(), member, pid };
}

function reportSuccession({ show }: DemoContext, succession: Succession): Succession {
  show({ kind: 'succession', atNs: process.hrtime.bigint(), succession });
  return succession;
}

async function wait({ signal }: DemoContext, extraMs = 0): Promise<void> {
  await pause(waitMs + extraMs, undefined, { signal });
}

function setupOf({ backend, home }: Environment, guarantees: Guarantees): Setup {
  return { backend, home, members: memberNames, thresholdMs, guarantees };
}

function msBetween(fromNs: bigint, toNs: bigint): number {
  return Number(toNs - fromNs) / 1e6;
}
