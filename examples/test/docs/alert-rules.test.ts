// The alert rules of the page about metrics, beside what Prometheus reads.
import { memoryGroup } from '@leadership/core/memory';
import { instrument } from '@leadership/opentelemetry';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { textOf } from './document.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const page = textOf('docs/how-to/export-metrics.md');
const [, block = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];

it('the page says how to end the export, and its program does so', () => {
  expect(page).toMatch(/At the end, call\s+`provider\.shutdown\(\)`/);
  expect(textOf('examples/src/metrics-endpoint.ts')).toMatch(/\.lead\(.*await provider\.shutdown/s);
});

it('the alert rules use metrics and labels that are exported', async () => {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  await using source = memoryGroup('alerts').join({ partitions: 1, thresholdMs: 500, log: false });
  using _reports = instrument(source, { meter: provider.getMeter('test') });
  const scrape = () =>
    new Promise<string>((resolve) => {
      const response = { statusCode: 0, setHeader: () => undefined, end: resolve };
      exporter.getMetricsRequestHandler({} as never, response as never);
    });
  await expect.poll(scrape).toMatch(/^leadership_lease_margin\{/m);
  const text = await scrape();
  const metrics = new Set(text.match(/^leadership_\w+(?=\{)/gm));
  const labels = new Set(text.match(/leadership_\w+(?==")/g));

  const { rules } = (parse(block) as Rules).groups[0] ?? { rules: [] };
  expect(rules.map(({ alert }) => alert)).toEqual([
    ...['NoLeader', 'NoMember', 'MemberUnhealthy', 'NoStandby', 'LeaseMarginLow'],
  ]);
  for (const { alert, expr } of rules) {
    const grouped = /by \((.*?)\)/.exec(expr)?.[1]?.split(', ') ?? [];
    expect(labels, alert).toEqual(new Set([...labels, ...grouped]));
    const used = expr.replace(/by \(.*?\)/, '').match(/leadership_\w+/g) ?? [];
    expect(used, alert).toHaveLength(1);
    expect(metrics, alert).toEqual(new Set([...metrics, ...used]));
  }
  await provider.shutdown();
});
