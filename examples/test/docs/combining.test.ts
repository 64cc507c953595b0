import { allOf, anyOf, type LeadershipSource } from '@leadership/core';
import { type Backend, openSource, resolveOptions } from '@leadership/core/adapter';
import { memoryGroup } from '@leadership/core/memory';
import { afterEach, describe, expect, it } from 'vitest';
import { codeIn, propertiesIn, tableIn, textOf } from './document.ts';

const page = textOf('docs/reference/combining.md');

/** A backend whose placement cannot be controlled. */
const unguided: Backend = {
  guarantees: memoryGroup('unguided').join({ signal: AbortSignal.abort() }).guarantees,
  start: () => ({
    campaign: () => undefined,
    resign: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }),
};

describe('docs/reference/combining.md', () => {
  const opened: LeadershipSource[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((source) => source.close())));
  const keep = (source: LeadershipSource): LeadershipSource => {
    opened.push(source);
    return source;
  };
  const join = (options = {}): LeadershipSource =>
    keep(memoryGroup('combining').join({ member: 'a', ...options }));

  it('describes every guarantee of a combination', () => {
    const names = tableIn(page, 'guarantee', '`allOf`', '`anyOf`').map(([cell]) => codeIn(cell));
    expect(names).toEqual(
      propertiesIn(textOf('packages/core/src/contract/guarantees.ts'), 'Guarantees'),
    );
  });

  const refusals = tableIn(page, 'combined', 'refused with').map(
    ([call = '', sentence = '']) => [codeIn(call), sentence] as const,
  );
  it.each(refusals)('quotes the error for: %s', async (call, sentence) => {
    const closed = join();
    await closed.close();
    const taken = join();
    keep(anyOf(taken));
    const sources: Readonly<Record<string, LeadershipSource>> = {
      a: join(),
      taken,
      closed,
      stranger: {} as LeadershipSource,
      four: keep(memoryGroup('combining four').join({ member: 'a', partitions: 4 })),
      bob: join({ member: 'bob' }),
      observer: join({ campaign: false }),
      nerio: keep(openSource(unguided, resolveOptions({ group: 'g', member: 'a' }))),
    };
    const [, name, list = ''] = /^(\w+)\((.*)\)$/.exec(call) ?? [];
    const given = list.split(', ').flatMap((one) => sources[one] ?? []);
    expect(given).toHaveLength(list === '' ? 0 : list.split(', ').length);
    expect(() => (name === 'allOf' ? allOf : anyOf)(...given)).toThrow(
      expect.objectContaining({ code: 'invalid-options', message: sentence }),
    );
  });
});
