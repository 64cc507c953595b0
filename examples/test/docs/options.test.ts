import { openLeadership } from '@leadership/core';
import { resolveOptions } from '@leadership/core/adapter';
import { defaults } from '@leadership/core/internal';
import { describe, expect, it } from 'vitest';
import { codeIn, propertiesIn, tableIn, textOf, undocumentedIn } from './document.ts';

const page = textOf('docs/reference/options.md');
const contract = textOf('packages/core/src/contract/options.ts');
const rows = tableIn(page, 'option', 'default', 'unit');
const named = (name: string): readonly string[] =>
  rows.find(([cell]) => codeIn(cell) === name) ?? [];

describe('docs/reference/options.md', () => {
  it('names exactly the options of a source', () => {
    const options = [
      ...propertiesIn(contract, 'SourceOptions'),
      ...propertiesIn(contract, 'Abortable'),
    ];
    expect(options.length).toBeGreaterThan(10);
    expect(rows.map(([cell]) => codeIn(cell)).sort()).toEqual(options.sort());
  });

  it('states the defaults of the code', () => {
    for (const [name, value] of Object.entries(defaults))
      expect([name, named(name)[1]?.replaceAll('`', '')]).toEqual([name, String(value)]);
    const resolved = resolveOptions({ group: 'g' });
    expect(named('metadata')[1]).toBe(`\`${JSON.stringify(resolved.metadata)}\``);
    expect(resolved.thresholdMsMax).toBe(resolved.thresholdMs);
    expect(named('thresholdMsMax')[1]).toBe('`thresholdMs`');
    expect(resolved.member).toMatch(new RegExp(`-${process.pid}$`));
  });

  it('states milliseconds as the unit of exactly the options whose name contains Ms', () => {
    for (const [name = '', , unit] of rows)
      expect([name, unit]).toEqual([name, /Ms(Max)?`/.test(name) ? 'ms' : '']);
  });

  it('states which options a URL may contain', async () => {
    const values: Readonly<Record<string, string | number>> = {
      group: 'g',
      member: 'm',
      partitions: 4,
      campaign: 'false',
      guard: 'false',
      driftRate: 0.01,
    };
    for (const [cell, , , url] of rows) {
      const name = codeIn(cell);
      const opening = openLeadership(`memory:g?${name}=${values[name] ?? 4000}`).then((source) =>
        source.close(),
      );
      if (url === 'URL') await expect(opening.then(() => name)).resolves.toBe(name);
      else await expect(opening, name).rejects.toMatchObject({ code: 'invalid-options' });
    }
  });

  it('names every option of `lead`', () => {
    const lead = tableIn(page, 'option', 'default', 'what it is').map(([cell]) => codeIn(cell));
    expect(lead).toEqual([
      'signal',
      ...propertiesIn(textOf('packages/core/src/contract/role.ts'), 'LeadOptions'),
    ]);
  });

  it.each([
    ['packages/core/src/contract/options.ts', 'SourceOptions'],
    ['packages/core/src/contract/role.ts', 'LeadOptions'],
    ['packages/file/src/options.ts', 'FileOptions'],
    ['packages/kafka/src/options.ts', 'KafkaOptions'],
    ['packages/kafka/src/platformatic/options.ts', 'PlatformaticOptions'],
    ['packages/kinesis/src/options.ts', 'KinesisOptions'],
    ['packages/nerio/src/options.ts', 'NerioOptions'],
    ['packages/nerio/src/transport/tcp/options.ts', 'TcpOptions'],
    ['packages/etcd/src/options.ts', 'EtcdOptions'],
    ['packages/core/src/adapter/own-options.ts', 'ServerTls'],
    ['packages/kubernetes/src/options.ts', 'KubernetesOptions'],
    ['packages/kubernetes/src/options.ts', 'KubernetesTls'],
    ['packages/nats/src/options.ts', 'NatsOptions'],
    ['packages/nats/src/options.ts', 'NatsTls'],
    ['packages/redis/src/options.ts', 'RedisOptions'],
    ['packages/redis/src/options.ts', 'RedisConnection'],
    ['packages/postgres/src/options.ts', 'PostgresOptions'],
    ['packages/postgres/src/options.ts', 'PostgresConnection'],
    ['packages/mysql/src/options.ts', 'MysqlOptions'],
    ['packages/mysql/src/options.ts', 'MysqlConnection'],
  ])('an editor shows a text for every option: %s, %s', (file, name) => {
    expect(propertiesIn(textOf(file), name)).not.toEqual([]);
    expect(undocumentedIn(textOf(file), name)).toEqual([]);
  });

  const refused = page.slice(page.indexOf('## What is refused'));
  const invalid = tableIn(refused, 'opened with', 'refused with').map(
    (row) => ['invalid-options', ...row] as const,
  );
  const unknown = tableIn(
    refused.slice(refused.indexOf('A scheme')),
    'opened with',
    'refused with',
  ).map((row) => ['unknown-backend', ...row] as const);
  it.each([...invalid, ...unknown])(
    'quotes the error (%s) for: %s',
    async (code, opened = '', message = '') => {
      const [url = '', options = '{}'] = [...opened.matchAll(/`([^`]*)`/g)].map(([, text]) => text);
      await expect(
        openLeadership(url, JSON.parse(options) as Record<string, unknown>),
      ).rejects.toMatchObject({ code, message });
    },
  );

  it('quotes every error about a number or a name', () => {
    const code = textOf('packages/core/src/adapter/resolve-options.ts').replaceAll(
      /\/\*\*[\s\S]*?\*\//g,
      '',
    );
    const sentences = code.match(/ must (?!be a name|be an object|agree)[^`'$]*/g) ?? [];
    expect(sentences.length).toBeGreaterThan(8);
    for (const sentence of sentences)
      if (!sentence.includes('Max ')) expect(page).toContain(sentence.trim().split('$')[0]);
  });
});
