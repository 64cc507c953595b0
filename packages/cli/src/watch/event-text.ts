// Formats an event for `leadership watch`.
import type { LeadershipEvent } from '@leadership/core';
import { printable } from '@leadership/core/internal';
import { jsonText } from '../terminal-text.ts';

/** Formats an event as one line for people and for `grep`. */
export function eventText(event: LeadershipEvent): string {
  const { at, kind, partition, leader, token, ended, leaderlessMs, code, message } = event;
  const where = partition === undefined ? [] : [`partition=${partition}`];
  const who = kind === 'leader' ? [`leader=${printable(leader ?? 'none')}`] : [];
  const term = token === undefined ? [] : [`token=${token}`];
  const end = ended === undefined ? [] : [`ended=${ended}`];
  const gap = leaderlessMs === undefined ? [] : [`leaderless=${Math.round(leaderlessMs)}ms`];
  const what = code === undefined ? [] : [`code=${code}`, jsonText(message)];
  return [
    new Date(at).toISOString(),
    kind,
    ...where,
    ...who,
    ...term,
    ...end,
    ...gap,
    ...what,
  ].join(' ');
}
