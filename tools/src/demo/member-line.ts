import { type Line, type Style, span } from './line.ts';
import type { Look } from './note.ts';

/** How a member stands, as the terminal view last heard. */
export type MemberRow = Look | { readonly state: 'starting' } | { readonly state: 'crashed'; readonly atNs: bigint };

/** The bar is as long as a full lease of the demo. Columns, and milliseconds for each of them. */
const barLength = 20;
const msPerColumn = 50;

const looks: Readonly<Record<MemberRow['state'], readonly [mark: string, style: Style]>> = {
  starting: ['·', 'dim'],
  crashed: ['✕', 'bad'],
  observing: ['○', 'dim'],
  waiting: ['○', 'dim'],
  leading: ['●', 'good'],
  revoking: ['◐', 'warning'],
  fenced: ['✕', 'bad'],
  refused: ['✕', 'bad'],
};

/** One member in one line: its state, its token and the belief it has left; or whom it sees lead. */
export function memberLine(member: string, row: MemberRow): Line {
  const [mark, style] = looks[row.state];
  return [span(`  ${mark} `, style), span(member.padEnd(7), 'bold'), span(row.state.padEnd(10), style), ...rest(row)];
}

function rest(row: MemberRow): Line {
  if (row.state === 'crashed' || row.state === 'starting') return [];
  if (row.token === undefined) return [span(row.leader === undefined ? 'sees nobody lead' : `sees ${row.leader} lead`, 'dim')];
  const filled = Math.min(barLength, Math.ceil(row.remainingMs / msPerColumn));
  const left = span(`  ${String(Math.round(row.remainingMs)).padStart(4)} ms left`, 'dim');
  return [span(`term ${row.token}  `), span('━'.repeat(filled), 'good'), span('╌'.repeat(barLength - filled), 'dim'), left];
}
