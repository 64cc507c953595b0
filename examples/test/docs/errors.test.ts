import { describe, expect, it } from 'vitest';
import { codeIn, tableIn, textOf, unionIn } from './document.ts';

const page = textOf('docs/reference/errors.md');
const events = textOf('docs/reference/events.md');
const contract = (name: string): string => textOf(`packages/core/src/contract/${name}.ts`);
const names = (...head: readonly string[]): readonly string[] =>
  tableIn(page, ...head).map(([cell]) => codeIn(cell));

describe('docs/reference/errors.md', () => {
  it('explains exactly the existing error codes', () => {
    const codes = unionIn(contract('leadership-error'), 'LeadershipErrorCode');
    expect(codes.length).toBeGreaterThan(5);
    expect(names('code', 'where')).toEqual(codes);
  });

  it('explains every reason for the loss of a term', () => {
    const reasons = unionIn(contract('leadership'), 'LossReason');
    expect(reasons.length).toBeGreaterThan(3);
    expect(names('reason', 'what happened')).toEqual(reasons);
  });

  it('contains a remedy in every row', () => {
    for (const row of [...tableIn(page, 'code', 'where'), ...tableIn(page, 'reason')])
      expect(row.every((cell) => cell !== '')).toBe(true);
  });
});

describe('docs/reference/events.md', () => {
  it('explains every kind of event', () => {
    const kinds = unionIn(contract('event'), 'LeadershipEventKind');
    expect(kinds.length).toBeGreaterThan(5);
    expect(tableIn(events, 'kind', 'what happened').map(([cell]) => codeIn(cell))).toEqual(kinds);
  });

  it('explains every state', () => {
    const states = [...contract('leadership').matchAll(/state: '(\w+)'/g)].map(([, name]) => name);
    expect(states).toHaveLength(6);
    expect(tableIn(events, 'state', 'meaning').map(([cell]) => codeIn(cell))).toEqual(states);
  });
});
