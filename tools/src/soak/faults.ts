// The faults that a soak test injects into members: kills, freezes, blocks, resignations.
import { setTimeout as pause } from 'node:timers/promises';
import type { MemberFault } from './environment.ts';

/** SIGKILL, then a restart under the same name (L2), either at once or after up to 2 T. */
const kill: MemberFault = async ({ settings, rng, members, recorder }, slot) => {
  const { member } = slot;
  const awayMs = rng.pick([0, rng.between(0, 2 * settings.thresholdMs)]);
  const killedAtNs = process.hrtime.bigint();
  await member.kill();
  recorder.ended(member, killedAtNs);
  await pause(awayMs);
  await members.restart(slot);
};

/** SIGSTOP for some multiple of T. */
function stopFor(least: number, most: number): MemberFault {
  return async ({ settings, rng }, { member }) => {
    member.pause();
    await pause(rng.between(least, most) * settings.thresholdMs);
    member.resume();
  };
}

/** SIGSTOP, then SIGKILL: the process never learns that its lease has expired. */
const stopAndKill: MemberFault = async (context, slot) => {
  slot.member.pause();
  await pause(context.rng.between(0.5, 2) * context.settings.thresholdMs);
  await kill(context, slot);
};

/** Blocks the event loop, for less or more than T. */
const block: MemberFault = async ({ settings, rng }, { member }) => {
  const beganNs = process.hrtime.bigint();
  member.block(rng.between(0.1, 2) * settings.thresholdMs);
  await member.until(({ kind, atNs }) => kind === 'first-statement' && atNs > beganNs);
};

const resign: MemberFault = async ({ settings, rng }, { member }) => {
  for (let times = rng.between(1, 4); times > 0; times -= 1)
    member.resign(Math.floor(rng.between(0, settings.partitions)));
};

/** Closes the member in order, then restarts it. */
const close: MemberFault = async ({ members, recorder }, slot) => {
  await slot.member.close();
  recorder.ended(slot.member);
  await members.restart(slot);
};

/** The faults that every environment supports, by name. */
export const processFaults: Readonly<Record<string, MemberFault>> = {
  'SIGKILL and restart': kill,
  // The process resumes after its lease has expired.
  'SIGSTOP longer than T': stopFor(1.05, 3),
  // The lease may still be valid when the process resumes.
  'SIGSTOP shorter than T': stopFor(0.1, 1.05),
  'SIGSTOP, then SIGKILL': stopAndKill,
  'event loop blocked': block,
  resigned: resign,
  'closed and restarted': close,
};
