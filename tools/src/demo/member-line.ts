import { type Line, type Style, span } from './line.ts';
import type { Observation } from './member-message.ts';

/** The latest known state of a member. */
export type MemberRow =
  | Observation
  | { readonly state: 'starting' }
  | { readonly state: 'crashed'; readonly atNs: bigint };

/**
 * Length of the bar in columns, and milliseconds per column. A full lease of the demo fills the
 * bar.
 */
const barLength = 20;
const msPerColumn = 50;

const marks: Readonly<Record<MemberRow['state'], readonly [mark: string, style: Style]>> = {
  starting: ['·', 'dim'],
  crashed: ['✕', 'bad'],
  observing: ['○', 'dim'],
  waiting: ['○', 'dim'],
  leading: ['●', 'good'],
  revoking: ['◐', 'warning'],
  fenced: ['✕', 'bad'],
  refused: ['✕', 'bad'],
};

/**
 * Returns the line of a member: its state, then its token and remaining lease, or the leader that
 * it observes.
 */
export function memberLine(member: string, row: MemberRow): Line {
  const [mark, style] = marks[row.state];
  return [
    span(`  ${mark} `, style),
    span(member.padEnd(7), 'bold'),
    span(row.state.padEnd(10), style),
    ...rest(row),
  ];
}

function rest(row: MemberRow): Line {
  if (row.state === 'crashed' || row.state === 'starting') return [];
  if (row.token === undefined)
    return [span(row.leader === undefined ? 'knows no leader' : `leader: ${row.leader}`, 'dim')];
  const filled = Math.min(barLength, Math.ceil(row.remainingMs / msPerColumn));
  const left = span(`  ${String(Math.round(row.remainingMs)).padStart(4)} ms left`, 'dim');
  return [
    span(`term ${row.token}  `),
    span('━'.repeat(filled), 'good'),
    span('╌'.repeat(barLength - filled), 'dim'),
    left,
  ];
}
