// A coloured line of the demo's output. It consists of spans, so that its width counts visible
// characters only and colours are added last.
import { styleText } from 'node:util';

/** The style of a span, if the output supports colours. */
export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'warning' | 'bad';

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

/** One line on a terminal or in a pipe. */
export type Line = readonly Span[];

const formats = {
  bold: 'bold',
  dim: 'dim',
  good: 'green',
  warning: 'yellow',
  bad: 'red',
} as const;

/** Returns a span of a line. */
export function span(text: string, style: Style = 'plain'): Span {
  return { text, style };
}

/** Returns the line as text, truncated to `width` columns, with or without colours. */
export function render(
  line: Line,
  width: number = Number.POSITIVE_INFINITY,
  colours = false,
): string {
  return cut(line, width)
    .map(({ text, style = 'plain' }) => (colours ? painted(text, style) : text))
    .join('')
    .trimEnd();
}

/** Truncates the line to `width` columns. A truncated line ends with an ellipsis. */
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
  return styleText(formats[style], text, { validateStream: false });
}
