// Formats an event of the demo as one line of the terminal.
import type { DemoEvent, Succession } from './demo-event.ts';
import { type Line, type Style, span } from './line.ts';
import type { MemberEvent } from './members.ts';

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
  const shown = columnsOf(demoEvent, promisedMs);
  if (shown === undefined || demoEvent.kind === 'setup') return undefined;
  const seconds = (Number(demoEvent.atNs - startedNs) / 1e9).toFixed(3);
  return [
    span(`${seconds.padStart(8)} s  `, 'dim'),
    span(shown.member.padEnd(7)),
    span(shown.what.padEnd(11), shown.style),
    span(shown.meaning, shown.what.endsWith('over') ? 'bold' : 'dim'),
  ];
}

function columnsOf(demoEvent: DemoEvent, promisedMs: number | 'unbounded'): Columns | undefined {
  switch (demoEvent.kind) {
    case 'started':
      return columns(demoEvent.member, 'started', 'plain', `process ${demoEvent.pid}`);
    case 'killed':
      return columns(demoEvent.member, 'killed', 'bad', `process ${demoEvent.pid}, by SIGKILL`);
    case 'asked':
      return columns(demoEvent.member, 'asked', 'warning', 'to hand over: leadership resign');
    case 'member':
      return columnsOfMember(demoEvent);
    case 'succession':
      return columnsOfSuccession(demoEvent.succession, promisedMs);
    default:
      return undefined;
  }
}

/** Returns `undefined` for the lines of commands: there are many, and the summary counts them. */
function columnsOfMember({ member, event }: MemberEvent): Columns | undefined {
  switch (event.kind) {
    case 'campaigns':
      return columns(member, 'campaigns', 'plain', 'waits for the lease');
    case 'leads':
      return columns(member, 'leads', 'good', `term ${event.token}, starts its command`);
    case 'resigns':
      return columns(member, 'resigns', 'warning', 'ends its command while the successor waits');
    case 'ended':
      return columns(member, 'ended', 'plain', `its command ${event.how}`);
    case 'says':
      return columns(member, 'says', 'warning', event.text);
    default:
      return undefined;
  }
}

function columns(member: string, what: string, style: Style, meaning: string): Columns {
  return { member, what, style, meaning };
}

function columnsOfSuccession(
  { cause, from, to, tookMs }: Succession,
  promisedMs: number | 'unbounded',
): Columns {
  const after =
    cause === 'crash'
      ? `in ${ms(tookMs)} (guarantee: ${promisedMs} ms)`
      : `${ms(tookMs)} after the command of ${from} had ended`;
  return columns(
    '',
    cause === 'crash' ? 'fail-over' : 'hand-over',
    'good',
    `${from} → ${to} ${after}`,
  );
}

/** Formats milliseconds, with one decimal below 10 ms. */
export function ms(value: number): string {
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
}
