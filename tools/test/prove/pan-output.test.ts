import { expect, it } from 'vitest';
import { readPanOutput } from '../../src/prove/pan-output.ts';

const complete = `
(Spin Version 6.5.2 -- 6 December 2019)
	+ Breadth-First Search
	+ Compression

Full statespace search for:
	assertion violations	+

State-vector 140 byte, depth reached 228, errors: 0
  1110971 states, stored
	    73205 nominal states (stored-atomic)
   557321 states, matched
  1668292 transitions (= stored+matched)

pan: elapsed time 1.93 seconds
`;

it('reads the number of states of a search that visited all', () => {
  expect(readPanOutput(complete)).toEqual({ states: 1_110_971, exhausted: true, violation: null });
});

it('reads the assertion that failed, and that the search ended there', () => {
  const output = complete
    .replace('\n(Spin', 'pan:1: assertion violated  !(q[i].work[p]) (at depth 26)\n(Spin')
    .replace('	+ Breadth', 'Warning: Search not completed\n	+ Breadth');
  expect(readPanOutput(output)).toEqual({
    states: 1_110_971,
    exhausted: false,
    violation: 'assertion violated !(q[i].work[p]) (at depth 26)',
  });
});

it('reads a number of states in scientific notation', () => {
  expect(readPanOutput(complete.replace('1110971', '2.4699e+07')).states).toBe(24_699_000);
});

it.each([
  'pan: reached -DMEMLIM bound\n',
  'error: max search depth too small\n',
  'pan: out of memory\n',
])('does not take a search that ended at a limit for exhausted: %s', (message) => {
  expect(readPanOutput(message + complete).exhausted).toBe(false);
});

it('does not take output without statistics, as after a time-out, for exhausted', () => {
  const output = 'Depth=     112 States=    1e+06 Transitions= 1.52e+06 Memory=   129.070\n';
  expect(readPanOutput(output)).toEqual({ states: 0, exhausted: false, violation: null });
});
