// Lines as spans, so that width is counted in what one sees and colour is put on last.

/** How a span looks, where colours are to be had. */
export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'warning' | 'bad';

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One line on a terminal or in a pipe. */
export type Line = readonly Span[];

const codes: Readonly<Record<Exclude<Style, 'plain'>, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
};

/** A span of a line. */
export function span(text: string, style: Style = 'plain'): Span {
  return { text, style };
}

/** The line as text, cut to `width` columns, with colours or without. */
export function render(line: Line, width: number = Number.POSITIVE_INFINITY, colours = false): string {
  return cut(line, width)
    .map(({ text, style = 'plain' }) => (colours ? painted(text, style) : text))
    .join('')
    .trimEnd();
}

/** Ends with an ellipsis where something is missing. */
function cut(line: Line, width: number): Line {
  const length = line.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= width) return line;
  let left = width - 1;
  const kept = line.map(({ text, ...rest }) => {
    const shown = text.slice(0, Math.max(0, left));
    left -= shown.length;
    return { text: shown, ...rest };
  });
  return [...kept, { text: '…' }];
}

function painted(text: string, style: Style): string {
  if (style === 'plain' || text === '') return text;
  const [on, off] = codes[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
