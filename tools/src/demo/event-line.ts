import type { LeadershipEvent, LeadershipEventKind } from '@leadership/core';
import type { DemoEvent, Succession } from './demo-event.ts';
import { type Line, type Style, span } from './line.ts';

/** The columns of an event's line, after its time. */
interface Columns {
  readonly member: string;
  readonly what: string;
  readonly style: Style;
  readonly meaning: string;
}

/**
 * Returns the line of an event, with its time relative to `startedNs`, or `undefined` if the event
 * gets no line.
 */
export function eventLine(
  demoEvent: DemoEvent,
  startedNs: bigint,
  promisedMs: number | 'unbounded',
): Line | undefined {
  const columns = columnsOf(demoEvent, promisedMs);
  if (columns === undefined) return undefined;
  const seconds = (Number(demoEvent.atNs - startedNs) / 1e9).toFixed(3);
  return [
    span(`${seconds.padStart(8)} s  `, 'dim'),
    span(columns.member.padEnd(7)),
    span(columns.what.padEnd(11), columns.style),
    span(columns.meaning, columns.what.endsWith('over') ? 'bold' : 'dim'),
  ];
}

function columnsOf(demoEvent: DemoEvent, promisedMs: number | 'unbounded'): Columns | undefined {
  switch (demoEvent.kind) {
    case 'started':
      return {
        member: demoEvent.member,
        what: 'started',
        style: 'plain',
        meaning: `process ${demoEvent.pid}`,
      };
    case 'crashed':
      return { member: demoEvent.member, what: 'crashed', style: 'bad', meaning: demoEvent.how };
    case 'asked':
      return { member: demoEvent.member, what: 'asked', style: 'warning', meaning: 'to hand over' };
    case 'event':
      return columnsOfEvent(demoEvent.event);
    case 'succession':
      return columnsOfSuccession(demoEvent.succession, promisedMs);
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
function columnsOfEvent({
  kind,
  member,
  token,
  reason,
  code,
  message,
}: LeadershipEvent): Columns | undefined {
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

function columnsOfSuccession(
  { cause, from, to, tookMs }: Succession,
  promisedMs: number | 'unbounded',
): Columns {
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
