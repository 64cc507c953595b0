import { describe, expect, it } from 'vitest';
import { render, span } from '../../src/demo/line.ts';

describe('a line', () => {
  it('is plain text in a pipe', () => {
    expect(render([span('one '), span('two', 'good'), span('  ')])).toBe('one two');
  });

  it('ends with an ellipsis if it does not fit, and is never wider than the terminal', () => {
    expect(render([span('alice  '), span('leading', 'good'), span(' for long')], 12)).toBe(
      'alice  lead…',
    );
    expect(render([span('exactly'), span('!')], 8)).toBe('exactly!');
  });

  it('does not count colour codes as width', () => {
    const coloured = render([span('alice  '), span('leading', 'good')], 12, true);
    expect(coloured).toBe('alice  \u001b[32mlead\u001b[39m…');
  });
});
