import { describe, expect, it } from 'vitest';
import { parseRunLine, parseWorkLine } from '../../src/demo/run-event.ts';

describe('the lines of the members of the demo', () => {
  it.each([
    ['member alice campaigns for role invoices', { kind: 'campaigns' }],
    ['leads role invoices in term 42; starts node', { kind: 'leads', token: 42n }],
    ['resigns on request', { kind: 'resigns' }],
    ['node exited with 0', { kind: 'ended', how: 'exited with 0' }],
    [
      'node was ended by SIGKILL: the lease was about to end',
      { kind: 'ended', how: 'was ended by SIGKILL: the lease was about to end' },
    ],
    [
      'LEADERSHIP_UNREACHABLE no answer',
      { kind: 'says', text: 'LEADERSHIP_UNREACHABLE no answer' },
    ],
  ])('%s', (line, event) => {
    expect(parseRunLine(`leadership: ${line}`, 7n)).toEqual({ ...event, atNs: 7n });
  });

  it('those of the command have a clock of their own', () => {
    expect(parseWorkLine('{"invoice":1,"token":"42","atNs":"5"}')).toEqual({
      kind: 'worked',
      atNs: 5n,
      token: 42n,
    });
  });
});
