import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shownValue } from '../src/environment/shown-value.ts';
import { variables } from '../src/environment/variables.ts';

describe('leadership env', () => {
  it.each([
    'postgres://app:hunter2@db.example:5432/app?group=billing',
    'nats://hunter2@nats.example/?group=billing',
    'redis://:hunter2/@cache.example?group=billing',
    'redis://:hunter2?x@cache.example?group=billing',
    'redis://:hunter2#x@cache.example?group=billing',
    'redis:app:hunter2@cache.example?group=billing',
    'redis://cache.example?group=billing&password=hunter2',
    'redis://cache.example?password=hunter2&group=billing',
    'redis://cache.example?group=billing#hunter2',
    'redis://cache.example?group=billing&hunter2',
    'redis://cache.example?group=billing&hunter2=x',
    'hunter2',
    '//app:hunter2@cache.example',
  ])('prints no secret of the URL %s', (url) => {
    const shown = shownValue('url', url);
    expect(shown).not.toContain('hunter2');
    expect(shown).toContain('***');
  });

  it.each([
    'postgres://db.example:5432/app?group=billing&partitions=4&thresholdMs=5000',
    'file:/var/lib/app/leadership?group=billing',
    'kafka://a:9092,b:9092/billing?topic=leadership&member=alice',
  ])('prints the URL %s as it is', (url) => {
    expect(shownValue('url', url)).toBe(url);
  });

  it('prints the parameters of every backend', async () => {
    for (const name of ['etcd', 'kafka', 'kinesis', 'nerio', 'postgres', 'redis']) {
      const { backend } = await import(`@leadership/${name}`);
      for (const parameter of Object.keys(backend.parameters)) {
        const url = `${name}://x?${parameter}=1`;
        expect(shownValue('url', url)).toBe(url);
      }
    }
  });

  it('prints the names of options, and none of their values', () => {
    const options = { user: 'hunter2', connection: { password: 'hunter2' } };
    expect(shownValue('names', JSON.stringify(options))).toBe('user=*** connection=***');
    for (const wrong of ['hunter2', '["hunter2"]', '"hunter2"', '{"password":"hunter2"'])
      expect(shownValue('names', wrong)).toBe('not a JSON object');
    expect(shownValue('number', 'hunter2')).toBe('***');
  });

  it('names every variable that the sources of the command name, and they are in the reference', () => {
    const sources = resolve(import.meta.dirname, '../src');
    const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(resolve(sources, name), 'utf8'));
    const named = new Set(texts.flatMap((text) => text.match(/\bLEADERSHIP_[A-Z_]+/g) ?? []));
    const known = variables.map(({ name }) => name);
    expect([...named].filter((name) => !known.includes(name))).toEqual([]);
    const page = readFileSync(resolve(sources, '../../../docs/reference/shell.md'), 'utf8');
    expect(known.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
