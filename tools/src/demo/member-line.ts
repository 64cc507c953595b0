// Formats one member of the demo as a line of the terminal, redrawn at each change.
import { type Line, type Style, span } from './line.ts';

/** The latest known state of a member. */
export interface MemberRow {
  readonly state: 'starting' | 'waiting' | 'leading' | 'ending' | 'killed';
  /** The token of the term of a leader. */
  readonly token?: string;
  /** What is left of the lease of a leader, where the demo can observe it. Milliseconds. */
  readonly remainingMs?: number | undefined;
  /** The member that leads, for the other members. */
  readonly leader?: string | undefined;
}

/**
 * Length of the bar in columns, and milliseconds per column. A full lease of the demo fills the
 * bar.
 */
const barLength = 20;
const msPerColumn = 50;

const marks: Readonly<Record<MemberRow['state'], readonly [mark: string, style: Style]>> = {
  starting: ['·', 'dim'],
  waiting: ['○', 'dim'],
  leading: ['●', 'good'],
  ending: ['◐', 'warning'],
  killed: ['✕', 'bad'],
};

/** Returns the line of a member: its state, then its token and lease, or the leader. */
export function memberLine(member: string, row: MemberRow): Line {
  const [mark, style] = marks[row.state];
  return [
    span(`  ${mark} `, style),
    span(member.padEnd(7), 'bold'),
    span(row.state.padEnd(10), style),
    ...rest(row),
  ];
}

function rest({ state, token, remainingMs, leader }: MemberRow): Line {
  if (state === 'killed' || state === 'starting') return [];
  if (token === undefined)
    return [span(leader === undefined ? 'no leader is known' : `leader: ${leader}`, 'dim')];
  const term = span(`term ${token}  `);
  if (remainingMs === undefined) return [term];
  const filled = Math.min(barLength, Math.ceil(remainingMs / msPerColumn));
  const left = span(`  ${String(Math.round(remainingMs)).padStart(4)} ms left`, 'dim');
  return [
    term,
    span('━'.repeat(filled), 'good'),
    span('╌'.repeat(barLength - filled), 'dim'),
    left,
  ];
}
