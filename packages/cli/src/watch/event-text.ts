import type { LeadershipEvent } from '@leadership/core';

/** Formats an event as one line of JSON. The present leaders are plain objects, with tokens as `bigint`. */
export function eventJson(event: LeadershipEvent): string {
  return JSON.stringify(event, (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
}

/** Formats an event as one line for people and for `grep`. */
export function eventText(event: LeadershipEvent): string {
  const { at, kind, partition, leader, token, code, message } = event;
  const where = partition === undefined ? [] : [`partition=${partition}`];
  const who = kind === 'leader' ? [`leader=${leader ?? 'none'}`] : [];
  const term = token === undefined ? [] : [`token=${token}`];
  const what = code === undefined ? [] : [`code=${code}`, JSON.stringify(message)];
  return [new Date(at).toISOString(), kind, ...where, ...who, ...term, ...what].join(' ');
}
