import type { LeadershipEvent, LeadershipEventKind } from '@leadership/core';
import { type Line, type Style, span } from './line.ts';
import type { News, Succession } from './news.ts';

/** The columns of an event's line, after its time. */
interface Sentence {
  readonly member: string;
  readonly what: string;
  readonly style: Style;
  readonly meaning: string;
}

/**
 * Returns the line of an event, with its time relative to `startedNs`, or `undefined` if the event
 * gets no line.
 */
export function sentence(
  news: News,
  startedNs: bigint,
  promisedMs: number | 'unbounded',
): Line | undefined {
  const said = say(news, promisedMs);
  if (said === undefined) return undefined;
  const seconds = (Number(news.atNs - startedNs) / 1e9).toFixed(3);
  return [
    span(`${seconds.padStart(8)} s  `, 'dim'),
    span(said.member.padEnd(7)),
    span(said.what.padEnd(11), said.style),
    span(said.meaning, said.what.endsWith('over') ? 'bold' : 'dim'),
  ];
}

function say(news: News, promisedMs: number | 'unbounded'): Sentence | undefined {
  switch (news.kind) {
    case 'started':
      return {
        member: news.member,
        what: 'started',
        style: 'plain',
        meaning: `process ${news.pid}`,
      };
    case 'crashed':
      return { member: news.member, what: 'crashed', style: 'bad', meaning: news.how };
    case 'asked':
      return { member: news.member, what: 'asked', style: 'warning', meaning: 'to hand over' };
    case 'event':
      return sayEvent(news.event);
    case 'succession':
      return saySuccession(news.succession, promisedMs);
    default:
      return undefined;
  }
}

const styles: Readonly<Partial<Record<LeadershipEventKind, Style>>> = {
  acquired: 'good',
  revoked: 'warning',
  fenced: 'bad',
  trouble: 'bad',
  warning: 'warning',
};

/**
 * Returns `undefined` for `leader` events: they are frequent, and the members' lines and the JSON
 * output show the leader.
 */
function sayEvent({
  kind,
  member,
  token,
  reason,
  code,
  message,
}: LeadershipEvent): Sentence | undefined {
  const meanings: Readonly<Record<LeadershipEventKind, string | undefined>> = {
    ready: 'campaigns',
    acquired: `leads, term ${token}`,
    revoked: 'finishes its work while the successor waits',
    released: 'after its work had drained',
    fenced: `no longer leads: ${reason}`,
    leader: undefined,
    trouble: message,
    warning: message,
    mended: code,
    refused: message,
    closed: '',
  };
  const meaning = meanings[kind];
  return meaning === undefined
    ? undefined
    : { member, what: kind, style: styles[kind] ?? 'plain', meaning };
}

function saySuccession(
  { cause, from, to, tookMs }: Succession,
  promisedMs: number | 'unbounded',
): Sentence {
  const after =
    cause === 'crash'
      ? `in ${ms(tookMs)} (guarantee: ${promisedMs} ms)`
      : `${ms(tookMs)} after ${from} released`;
  return {
    member: '',
    what: cause === 'crash' ? 'fail-over' : 'hand-over',
    style: 'good',
    meaning: `${from} → ${to} ${after}`,
  };
}

/** Formats milliseconds, with one decimal below 10 ms. */
export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
