import type { Succession, Summary } from './demo-event.ts';
import { ms } from './event-line.ts';
import { type Line, span } from './line.ts';
import { boundMs } from './verdict.ts';

/** Returns the lines that end the demo: each measurement beside its guarantee. */
export function summaryLines(summary: Summary): readonly Line[] {
  const { successions, broken } = summary;
  const crashes = successions.filter(({ cause }) => cause === 'crash');
  const handOvers = successions.filter(({ cause }) => cause === 'hand-over');
  return [
    [],
    ...(crashes.length > 0 ? table(summary, crashes) : []),
    ...handOvers.map(handOverLine),
    ...(broken.length === 0 ? [keptLine(summary)] : broken.map(brokenLine)),
  ];
}

function table(summary: Summary, crashes: readonly Succession[]): readonly Line[] {
  const promised = String(summary.setup.guarantees.failoverMsMax);
  const rows = crashes.map((crash) => {
    const pair = `${crash.from} → ${crash.to}`.padEnd(16);
    const style = crash.tookMs > boundMs(summary.setup, crash) ? 'bad' : 'good';
    const measured = span(ms(crash.tookMs).padStart(10), style);
    const late = [
      ms(crash.waitedMs).padStart(17),
      ...(crash.answerMs === undefined ? [] : [ms(crash.answerMs).padStart(16)]),
    ];
    return [
      span(`  ${pair}`),
      measured,
      span(`${promised} ms`.padStart(14)),
      span(late.join(''), 'dim'),
    ];
  });
  const late = [
    'wait for a core'.padStart(17),
    ...(crashes.some(({ answerMs }) => answerMs !== undefined)
      ? ['slowest answer'.padStart(16)]
      : []),
  ];
  const head = `  ${'fail-over'.padEnd(16)}${'measured'.padStart(10)}${'guarantee'.padStart(14)}${late.join('')}`;
  return [[span(head, 'bold')], ...rows, []];
}

function handOverLine({ from, to, tookMs, drainedMs = 0 }: Succession): Line {
  const words = `${from} → ${to}: ${ms(drainedMs)} until the command had ended, then ${ms(tookMs)} until ${to} led`;
  return [span('  hand-over  ', 'bold'), span(words)];
}

function keptLine({ terms, lines }: Summary): Line {
  const words = `never two commands at once in ${terms} terms (${lines} lines of output); tokens only increased`;
  return [span('  exclusive  ', 'bold'), span(words)];
}

function brokenLine(sentence: string): Line {
  return [span('  BROKEN  ', 'bad'), span(sentence)];
}
