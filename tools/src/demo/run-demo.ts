// The steps of the demo: three members start and one leads. The leader is killed and another member
// takes over, several times. Then the leader hands over in order, and all members end.
import { setTimeout as pause } from 'node:timers/promises';
import type { Guarantees } from '@leadership/core';
import type { DemoEvent, Setup, Succession, Summary } from './demo-event.ts';
import type { DemoGroup } from './group.ts';
import { History } from './history.ts';
import { memberNames } from './member-names.ts';
import { type MemberEvent, Members } from './members.ts';
import { commandLine } from './run-process.ts';
import { verdict } from './verdict.ts';
import { WorkRecord } from './work-record.ts';

/**
 * T of the demo, in milliseconds. With a shorter T, a busy machine may lose the lease without a
 * crash.
 */
export const thresholdMs = 1000;
/** How long the demo shows each state, in milliseconds. */
const waitMs = 900;
/**
 * Timeout for each step, in milliseconds. Generous, because processes start slowly on a busy
 * machine.
 */
const timeoutMs = 60_000;

/** How to run the demo. */
export interface DemoOptions {
  readonly group: DemoGroup;
  readonly guarantees: Guarantees;
  readonly trials: number;
  readonly signal: AbortSignal;
  readonly show: (demoEvent: DemoEvent) => void;
}

interface DemoContext extends DemoOptions {
  readonly members: Members;
  readonly history: History;
}

/** Runs the demo and returns its result. Rejects if a step takes too long or a member fails. */
export async function runDemo(options: DemoOptions): Promise<Summary> {
  const { group, guarantees, signal, trials, show } = options;
  const work = new WorkRecord();
  const history = new History();
  const successions: Succession[] = [];
  const setup = setupOf(group, guarantees);
  let isEnding = false;
  {
    await using members = new Members(group, thresholdMs, signal);
    members.events$.subscribe({
      next(from) {
        const { event } = from;
        work.note(from);
        history.note(from);
        // Members that end at once miss each other. That is not reported.
        if (isEnding && event.kind === 'says') return;
        show({ kind: 'member', atNs: event.atNs, ...from });
      },
      error: () => undefined,
    });
    const context: DemoContext = { ...options, members, history };
    show({ kind: 'setup', setup });
    await begin(context);
    for (let trial = 0; trial < trials; trial += 1) {
      successions.push(await crash(context));
      await restart(context, successions.at(-1)?.from);
    }
    successions.push(await handOver(context));
    await wait(context);
    isEnding = true;
  }
  return verdict(setup, successions, work);
}

/**
 * Starts all members and waits until one of them leads, and until each of them is a member. Two of
 * three voters elect a leader before the third one votes, and until it does the group cannot lose any.
 */
async function begin(context: DemoContext): Promise<void> {
  const leader = context.members.next(leads(), timeoutMs, 'no member led');
  const all = memberNames.map((member) => started(context, member));
  await Promise.all([leader, ...all]);
}

/** Kills the leader and waits until another member leads. */
async function crash(context: DemoContext): Promise<Succession> {
  const { members, group, show, history } = context;
  // The leader renews every T/3. A random delay lets crashes fall anywhere between two renewals.
  await wait(context, (Math.random() * thresholdMs) / 3);
  const from = leaderOf(context);
  const { pid } = members.process(from);
  members.takeWaitedMs();
  group.answers?.takeMs();
  const successor = members.next(leads(from), timeoutMs, `no member replaced ${from}`);
  const atNs = members.process(from).kill();
  history.killed(from);
  show({ kind: 'killed', atNs, member: from, pid });
  const { member: to, event } = await successor;
  return reportSuccession(context, {
    cause: 'crash',
    from,
    to,
    tookMs: msBetween(atNs, event.atNs),
    waitedMs: members.takeWaitedMs(),
    ...(group.answers && { answerMs: group.answers.takeMs() }),
  });
}

/** Starts the killed member again under the same name, and waits until it is a member. */
async function restart(context: DemoContext, member = ''): Promise<void> {
  await wait(context);
  await started(context, member);
}

/**
 * Makes the leader resign: its command ends first, then another member leads. A leader that has lost
 * its lease on a busy machine releases nothing: then the next leader is asked.
 */
async function handOver(context: DemoContext): Promise<Succession> {
  const { members, show } = context;
  await wait(context);
  const from = leaderOf(context);
  const ended = members.next(
    ({ member, event }) => (member === from && event.kind === 'ended') || event.kind === 'leads',
    timeoutMs,
    `the command of ${from} did not end`,
  );
  const next = members.next(leads(), timeoutMs, `no member led after ${from}`);
  const successor = members.next(leads(from), timeoutMs, `no member followed ${from}`);
  for (const expected of [ended, next, successor]) expected.catch(() => undefined);
  const askedNs = process.hrtime.bigint();
  show({ kind: 'asked', atNs: askedNs, member: from });
  members.takeWaitedMs();
  members.process(from).resign();
  const end = await ended;
  if (end.event.kind !== 'ended' || end.event.how.includes('lease')) {
    await next;
    return handOver(context);
  }
  const { member: to, event } = await successor;
  return reportSuccession(context, {
    cause: 'hand-over',
    from,
    to,
    tookMs: msBetween(end.event.atNs, event.atNs),
    drainedMs: msBetween(askedNs, end.event.atNs),
    waitedMs: members.takeWaitedMs(),
  });
}

/** Returns a predicate that matches a member that leads, other than `except` if it is given. */
function leads(except?: string): (from: MemberEvent) => boolean {
  return ({ member, event }) => member !== except && event.kind === 'leads';
}

function leaderOf({ history }: DemoContext): string {
  if (history.term === undefined) throw new Error('no member has led yet');
  return history.term.member;
}

/** Starts a member. Resolves once it is one: a voter votes then. */
async function started({ members, show }: DemoContext, member: string): Promise<void> {
  const ready = members.next(
    (from) => from.member === member && from.event.kind === 'campaigns',
    timeoutMs,
    `${member} did not campaign`,
  );
  const { pid } = members.start(member);
  show({ kind: 'started', atNs: process.hrtime.bigint(), member, pid });
  await ready;
}

function reportSuccession({ show }: DemoContext, succession: Succession): Succession {
  show({ kind: 'succession', atNs: process.hrtime.bigint(), succession });
  return succession;
}

async function wait({ signal }: DemoContext, extraMs = 0): Promise<void> {
  await pause(waitMs + extraMs, undefined, { signal });
}

function setupOf({ backend, home, url }: DemoGroup, guarantees: Guarantees): Setup {
  const command = `leadership run '${url}&thresholdMs=${thresholdMs}' ${commandLine.join(' ')}`;
  return { backend, home, members: memberNames, thresholdMs, guarantees, command };
}

function msBetween(fromNs: bigint, toNs: bigint): number {
  return Number(toNs - fromNs) / 1e6;
}
