import { setTimeout as pause } from 'node:timers/promises';
import type { Deed } from './ground.ts';

/** SIGKILL, and another life under the same name (L2), at once or only when the lease has lapsed. */
const kill: Deed = async ({ settings, dice, crew, chronicle }, post) => {
  const { member } = post;
  const awayMs = dice.pick([0, dice.between(0, 2 * settings.thresholdMs)]);
  const killedAtNs = process.hrtime.bigint();
  await member.kill();
  chronicle.ended(member, killedAtNs);
  await pause(awayMs);
  await crew.restart(post);
};

/** SIGSTOP for longer than T: what goes on is a zombie. */
const stop: Deed = async ({ settings, dice }, { member }) => {
  member.pause();
  await pause(dice.between(1.05, 3) * settings.thresholdMs);
  member.resume();
};

/** SIGSTOP for less than T: it goes on as the leader that it was, or just not. */
const stopShortly: Deed = async ({ settings, dice }, { member }) => {
  member.pause();
  await pause(dice.between(0.1, 1.05) * settings.thresholdMs);
  member.resume();
};

/** A zombie that never gets to know. */
const stopAndKill: Deed = async (scene, post) => {
  post.member.pause();
  await pause(scene.dice.between(0.5, 2) * scene.settings.thresholdMs);
  await kill(scene, post);
};

/** An event loop that stands still, for less or more than T. */
const block: Deed = async ({ settings, dice }, { member }) => {
  const beganNs = process.hrtime.bigint();
  member.block(dice.between(0.1, 2) * settings.thresholdMs);
  await member.until(({ kind, atNs }) => kind === 'first-statement' && atNs > beganNs);
};

const resign: Deed = async ({ settings, dice }, { member }) => {
  for (let times = dice.between(1, 4); times > 0; times -= 1) member.resign(Math.floor(dice.between(0, settings.partitions)));
};

/** Ends in order, and comes back. */
const close: Deed = async ({ crew, chronicle }, post) => {
  await post.member.close();
  chronicle.ended(post.member);
  await crew.restart(post);
};

/** What can be done to a member, by name. */
export const deeds: Readonly<Record<string, Deed>> = {
  'SIGKILL and restart': kill,
  'SIGSTOP longer than T': stop,
  'SIGSTOP shorter than T': stopShortly,
  'SIGSTOP, then SIGKILL': stopAndKill,
  'event loop blocked': block,
  resigned: resign,
  'closed and restarted': close,
};
