// The command `leadership resign`: makes the leader on this host hand over.
import { hostname } from 'node:os';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { type Leader, LeadershipError, type LeadershipSource } from '@leadership/core';
import { isUnknownGroup } from '@leadership/core/internal';
import { filter, firstValueFrom, map, timeout } from 'rxjs';
import { found, succeeded, unknownGroup, unusable } from '../exit-codes.ts';
import { type ConnectOptions, openReady } from '../open-ready.ts';
import { findLeading, type LeadingProcess, leadingFolder } from '../run/leading-file.ts';
import { say } from '../say.ts';
import { resignSignal } from '../signals.ts';

/** The options of `resign`. */
export interface ResignOptions extends Omit<ConnectOptions, 'campaign'> {
  /** The role, unless `slot` is given. */
  readonly role?: string;
  /** The slot of `run --slots`: its partition. */
  readonly slot?: number;
  /** Seconds to wait for another leader. */
  readonly wait: number;
}

/** How long to wait for the leader to be read at the start. Milliseconds. */
const leaderMsMax = 1000;

/** A process writes its file just after its term has begun. Milliseconds. */
const fileMsMax = 1000;

/**
 * Asks the `leadership run` process of this host that leads the role to resign. Returns 0 once
 * another member leads, 1 if none does in time, 2 if the leader is no such process, and 3 if no
 * member has ever opened the group.
 */
export async function resign(url: string, options: ResignOptions): Promise<number> {
  if (process.platform === 'win32')
    throw new LeadershipError('unsupported-runtime', 'resign needs signals: use Linux or macOS');
  const { wait } = options;
  await using source = await openReady(url, { ...options, campaign: false });
  const [subject, partition] = subjectOf(source, options);
  const leader = await nextLeader(source, partition, 0n, leaderMsMax);
  if (leader === undefined && isUnknownGroup(source.health())) {
    say(`no member has ever opened group ${source.group} there`);
    return unknownGroup;
  }
  if (leader === undefined) {
    say(`${subject} has no leader that could resign`);
    return found;
  }
  const leading = findLeading(termOf(source, partition, leader));
  if (leading === undefined) {
    say(elsewhere(subject, leader));
    return unusable;
  }
  process.kill(leading.pid, resignSignal);
  say(`asked process ${leading.pid}, member ${leader.member}, to resign ${subject}`);
  const next = await nextLeader(source, partition, leader.token, wait * 1000);
  if (next === undefined) {
    const isOver = source.roster().get(partition)?.token !== leader.token;
    say(
      isOver
        ? `it has resigned, but no other member leads after ${wait} s`
        : `it has not resigned within ${wait} s; its command may still run`,
    );
    return found;
  }
  if (await isSameProcess(source, partition, leading, next, leader)) {
    say(`member ${next.member} leads again: no other member could take over`);
    return found;
  }
  say(`member ${next.member} leads ${subject} in term ${next.token}`);
  return succeeded;
}

/** Returns what is to be handed over, in words, and its partition. */
function subjectOf(
  source: LeadershipSource,
  { role = '', slot }: ResignOptions,
): readonly [subject: string, partition: number] {
  if (slot === undefined) return [`role ${role}`, source.role(role).partition];
  if (slot < source.partitions) return [`slot ${slot}`, slot];
  throw new LeadershipError(
    'invalid-options',
    `--slot ${slot} must be less than ${source.partitions}, the number of slots of the group`,
  );
}

function termOf({ group }: LeadershipSource, partition: number, { token }: Leader) {
  return { group, partition, token: String(token) };
}

/** Resolves with the leader of a later term than `token`, or with `undefined` after that time. */
function nextLeader(
  source: LeadershipSource,
  partition: number,
  token: bigint,
  waitMs: number,
): Promise<Leader | undefined> {
  const later$ = source.roster$.pipe(
    map((roster) => roster.get(partition)),
    filter((leader) => leader !== undefined && leader.token > token),
    timeout(waitMs),
  );
  return firstValueFrom(later$, { defaultValue: undefined }).catch(() => undefined);
}

/** Names need not be unique, so only the files distinguish two processes with one name. */
async function isSameProcess(
  source: LeadershipSource,
  partition: number,
  before: LeadingProcess,
  next: Leader,
  { member }: Leader,
): Promise<boolean> {
  if (next.member !== member) return false;
  const until = performance.now() + fileMsMax;
  let leading = findLeading(termOf(source, partition, next));
  while (leading === undefined && performance.now() < until) {
    await pause(fileMsMax / 20);
    leading = findLeading(termOf(source, partition, next));
  }
  return leading?.pid === before.pid;
}

/** Explains where the leader runs, as far as its name shows: by default host name and process id. */
function elsewhere(subject: string, { member, token }: Leader): string {
  const [, host, pid] = /^(.+)-(\d+)$/.exec(member) ?? [];
  const isHere = host === hostname();
  const where =
    host === undefined || isHere
      ? 'run this command on the host and as the user of that member'
      : `by its name it runs on host ${host} as process ${pid}; run this command there, as its user`;
  return (
    `${subject} is led by member ${member} in term ${token}, which is no "leadership run" of ` +
    `this host and user in ${leadingFolder()}; ${where}. An application resigns by role.resign()`
  );
}
