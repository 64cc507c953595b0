// The demo's story: three members start, one leads; the leader crashes and is replaced, a few times; then leadership changes
// hands in order, and everyone goes home.
import { setTimeout as pause } from 'node:timers/promises';
import type { Guarantees } from '@leadership/core';
import type { Venue } from './backends.ts';
import { Chronicle } from './chronicle.ts';
import { members } from './members.ts';
import type { News, Setting, Succession, Summary } from './news.ts';
import { Troupe } from './troupe.ts';
import { verdict } from './verdict.ts';
import { acquired, is, opened } from './which.ts';

/** T of the demo. Milliseconds: the shortest that a busy machine keeps without flapping. */
const thresholdMs = 1000;
/** How long everyone gets to look at one state of things. Milliseconds. */
const sceneMs = 900;
/** What is late by this is not coming: processes take a while to start on a busy machine. Milliseconds. */
const patienceMs = 20_000;

/** What the story needs. */
export interface Play {
  readonly venue: Venue;
  readonly trials: number;
  readonly signal: AbortSignal;
  readonly show: (news: News) => void;
}

interface Stage extends Play {
  readonly troupe: Troupe;
  readonly chronicle: Chronicle;
}

/** Plays the story, and says what came out of it. */
export async function play(to: Play): Promise<Summary> {
  await using troupe = new Troupe(to.venue, thresholdMs, to.signal);
  const chronicle = new Chronicle(to.show);
  troupe.notes$.subscribe({ next: (note) => chronicle.hear(note), error: () => undefined });
  const stage: Stage = { ...to, troupe, chronicle };
  const setting = settingOf(to.venue, await begin(stage));
  const successions: Succession[] = [];
  for (let trial = 0; trial < to.trials; trial += 1) {
    successions.push(await crash(stage));
    await comeBack(stage, successions.at(-1)?.from);
  }
  successions.push(await handOver(stage));
  await scene(stage);
  await troupe.close();
  return verdict(setting, successions, chronicle.evidence);
}

/** Everyone starts, and one of them leads. */
async function begin(stage: Stage): Promise<Guarantees> {
  const { troupe, venue, show } = stage;
  const first = troupe.next(opened, patienceMs, 'no member started');
  const leader = troupe.next(acquired(), patienceMs, 'nobody led');
  leader.catch(() => undefined);
  const started = members.map((member) => start(stage, member));
  const { note } = await first;
  if (note.kind !== 'opened') throw new Error('a member told something before it opened');
  show({ kind: 'curtain', atNs: note.atNs, setting: settingOf(venue, note.guarantees) });
  started.forEach(show);
  await leader;
  return note.guarantees;
}

/** The leader crashes, and another takes over. */
async function crash(stage: Stage): Promise<Succession> {
  const { troupe, chronicle, venue, show } = stage;
  // A renewal comes every T/3: crashes at any moment between two are to be seen.
  await scene(stage, (Math.random() * thresholdMs) / 3);
  const from = troupe.actor(chronicle.leader);
  chronicle.takeStallMs();
  venue.answers?.takeMs();
  const successor = troupe.next(acquired(from.member), patienceMs, `nobody replaced ${from.member}`);
  const crashedNs = from.crash();
  show({ kind: 'crashed', atNs: crashedNs, member: from.member, pid: from.pid, how: venue.crashed });
  const { member, note } = await successor;
  return told(stage, {
    cause: 'crash',
    from: from.member,
    to: member,
    tookMs: msBetween(crashedNs, note.atNs),
    stallMs: chronicle.takeStallMs(),
    ...(venue.answers && { answerMs: venue.answers.takeMs() }),
  });
}

/** The member that crashed starts again, as another life of the same name. */
async function comeBack(stage: Stage, member = ''): Promise<void> {
  await scene(stage);
  const ready = stage.troupe.next(is('ready', member), patienceMs, `${member} did not come back`);
  stage.show(start(stage, member));
  await ready;
}

/** The leader gives up in order: its work drains, and only then another leads. */
async function handOver(stage: Stage): Promise<Succession> {
  const { troupe, chronicle, show } = stage;
  await scene(stage);
  const from = chronicle.leader;
  const both = Promise.all([
    troupe.next(is('released', from), patienceMs, `${from} did not let go`),
    troupe.next(acquired(from), patienceMs, `nobody followed ${from}`),
  ]);
  const askedNs = process.hrtime.bigint();
  show({ kind: 'asked', atNs: askedNs, member: from });
  chronicle.takeStallMs();
  troupe.actor(from).tell('hand-over');
  const [released, successor] = await both;
  return told(stage, {
    cause: 'hand-over',
    from,
    to: successor.member,
    tookMs: msBetween(released.note.atNs, successor.note.atNs),
    drainedMs: msBetween(askedNs, released.note.atNs),
    stallMs: chronicle.takeStallMs(),
  });
}

function start({ troupe }: Stage, member: string): News {
  const { pid } = troupe.start(member);
  return { kind: 'started', atNs: process.hrtime.bigint(), member, pid };
}

function told({ show }: Stage, succession: Succession): Succession {
  show({ kind: 'succession', atNs: process.hrtime.bigint(), succession });
  return succession;
}

async function scene({ signal }: Stage, extraMs = 0): Promise<void> {
  await pause(sceneMs + extraMs, undefined, { signal });
}

function settingOf({ backend, home }: Venue, guarantees: Guarantees): Setting {
  return { backend, home, members, thresholdMs, guarantees };
}

function msBetween(fromNs: bigint, toNs: bigint): number {
  return Number(toNs - fromNs) / 1e6;
}
