import { comparisonLine } from './comparison.ts';
import { type Figures, isReached, type Report } from './figures.ts';
import { significant } from './significant.ts';

const columns = ['benchmark', 'runs', 'p50', 'p99', 'baseline', 'ratio', 'to reach', ''] as const;

/** Formats reports as a table of plain text, followed by their remarks. */
export function table(reports: readonly Report[]): string {
  const rows = [columns, ...reports.map(({ figures }) => cells(figures))];
  const widths = columns.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => align(cell, widths[column] ?? 0, column))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, '', ...reports.flatMap(remarks)].join('\n');
}

function cells({
  unit,
  runs,
  p50,
  p99,
  baseline,
  ratio,
  limit,
  better,
  name,
}: Figures): readonly string[] {
  const mark = isReached({ unit, runs, p50, p99, baseline, ratio, limit, better, name })
    ? '✓'
    : '✗';
  const bound = `${better === 'lower' ? '≤' : '≥'} ${significant(limit)}`;
  return [
    name,
    String(runs),
    ...[p50, p99, baseline].map((value) => `${significant(value)} ${unit}`),
    significant(ratio),
    bound,
    mark,
  ];
}

function remarks({ figures, against, notes, peers = [] }: Report): readonly string[] {
  return [
    `${figures.name}: baseline is ${against}`,
    ...[...notes, ...peers.map(comparisonLine)].map((line) => `  ${line}`),
  ];
}

/** Aligns names to the left and numbers to the right. */
function align(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
