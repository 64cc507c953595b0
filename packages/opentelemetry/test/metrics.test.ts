// The metrics, as Prometheus reads them over HTTP.
import { readFileSync } from 'node:fs';
import { memoryGroup } from '@leadership/core/memory';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { instrument } from '../src/index.ts';

let exporter: PrometheusExporter;
let meter: ReturnType<MeterProvider['getMeter']>;
beforeEach(async () => {
  exporter = new PrometheusExporter({ preventServerStart: true });
  meter = new MeterProvider({ readers: [exporter] }).getMeter('test');
});
afterEach(() => exporter.shutdown());

/** Returns the lines that Prometheus would read, without the labels of the library. */
async function scrape(): Promise<readonly string[]> {
  const { promise, resolve } = withResolvers<string>();
  const response = { statusCode: 0, setHeader: () => undefined, end: resolve };
  exporter.getMetricsRequestHandler({} as never, response as never);
  const text = await promise;
  return text.split('\n').map((line) => line.replace(/,?otel_scope_\w+="[^"]*"/g, ''));
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

function join(member: string, group: string, thresholdMs = 60_000) {
  return memoryGroup(group).join({ member, partitions: 2, thresholdMs, log: false });
}

const sampleOf = (lines: readonly string[], metric: string, labels: string) =>
  Number(lines.find((line) => line.startsWith(metric) && line.includes(labels))?.split(' ')[1]);

test('report leaders, terms, losses by reason, drains and health', async () => {
  const name = `metrics-${crypto.randomUUID()}`;
  const group = memoryGroup(name);
  await using source = join('a', name);
  using _reports = instrument(source, { meter });
  await Promise.all([group.elect('a', 0), group.elect('a', 1)]);
  expect(sampleOf(await scrape(), 'leadership_healthy{', name)).toBe(1);
  group.fence('a', 0);
  await group.revoke('a', 1);
  await group.elect('a', 1);
  const lines = await scrape();
  const at = (partition: number) => `leadership_partition="${partition}"`;
  expect(sampleOf(lines, 'leadership_leading{', at(0))).toBe(0);
  expect(sampleOf(lines, 'leadership_leading{', at(1))).toBe(1);
  expect(sampleOf(lines, 'leadership_terms_total{', at(0))).toBe(1);
  expect(sampleOf(lines, 'leadership_terms_total{', at(1))).toBe(2);
  expect(sampleOf(lines, 'leadership_losses_total{', at(0))).toBe(1);
  expect(lines.find((line) => line.startsWith('leadership_losses_total{'))).toMatch(
    /leadership_reason="\w+"/,
  );
  expect(sampleOf(lines, 'leadership_drain_duration_count{', at(1))).toBe(1);
  expect(sampleOf(lines, 'leadership_lease_remaining{', at(1))).toBeGreaterThan(0);
  expect(sampleOf(lines, 'leadership_confirmed_age{', name)).toBeGreaterThanOrEqual(0);
});

test('report the members, and how many of them may fail', async () => {
  const name = `metrics-${crypto.randomUUID()}`;
  await using source = join('a', name, 500);
  using _reports = instrument(source, { meter });
  const membersAre = (members: number, standbys: number) =>
    expect
      .poll(
        async () => {
          const lines = await scrape();
          return ['leadership_members{', 'leadership_standbys{'].map((metric) =>
            sampleOf(lines, metric, name),
          );
        },
        { timeout: 60_000 },
      )
      .toEqual([members, standbys]);
  await membersAre(1, 0);
  const other = join('b', name, 500);
  await membersAre(2, 1);
  await other.close();
  await membersAre(1, 0);
}, 180_000);

test('report the margin and the duration of renewals, and stalls of the event loop', async () => {
  const name = `metrics-${crypto.randomUUID()}`;
  await using source = join('a', name, 500);
  using _reports = instrument(source, { meter });
  await expect
    .poll(async () => sampleOf(await scrape(), 'leadership_lease_margin{', name))
    .toBeGreaterThan(0);
  const lines = await scrape();
  expect(sampleOf(lines, 'leadership_lease_margin{', name)).toBeLessThan(0.5);
  expect(sampleOf(lines, 'leadership_renewal_duration{', name)).toBeGreaterThanOrEqual(0);
  await scrape();
  // The histogram begins again with the first interval after a collection.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const until = performance.now() + 300;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sampleOf(await scrape(), 'leadership_stall_duration{', name)).toBeGreaterThan(0.2);
});

test('report troubles by their code', async () => {
  const name = `metrics-${crypto.randomUUID()}`;
  await using source = join('a', name);
  await source.ready();
  await using other = memoryGroup(name).join({ member: 'b', partitions: 3, log: false });
  using _reports = instrument(other, { meter });
  await expect(other.ready()).rejects.toThrow();
  const lines = await scrape();
  expect(sampleOf(lines, 'leadership_healthy{', 'leadership_member="b"')).toBe(0);
  expect(sampleOf(lines, 'leadership_troubles{', 'leadership_code="partitions-differ"')).toBe(1);
});

test('report a closed source as unhealthy and without leadership', async () => {
  const name = `metrics-${crypto.randomUUID()}`;
  const source = join('a', name);
  using _reports = instrument(source, { meter });
  await memoryGroup(name).elect('a', 0);
  expect(sampleOf(await scrape(), 'leadership_leading{', 'partition="0"')).toBe(1);
  await source.close();
  const lines = await scrape();
  expect(sampleOf(lines, 'leadership_leading{', 'partition="0"')).toBe(0);
  expect(sampleOf(lines, 'leadership_healthy{', name)).toBe(0);
});

test('report nothing more once disposed', async () => {
  const name = `metrics-${crypto.randomUUID()}`;
  const group = memoryGroup(name);
  await using source = join('a', name);
  const reports = instrument(source, { meter });
  await group.elect('a', 0);
  await group.revoke('a', 1);
  const before = await scrape();
  reports[Symbol.dispose]();
  await group.elect('a', 1);
  // The SDK repeats the last value of a gauge.
  const lines = await scrape();
  for (const metric of ['leadership_leading{', 'leadership_terms_total{'])
    expect(lines.filter((line) => line.startsWith(metric))).toEqual(
      before.filter((line) => line.startsWith(metric)),
    );
});

test('the Grafana dashboard uses only metrics that exist', async () => {
  const name = `metrics-${crypto.randomUUID()}`;
  const group = memoryGroup(name);
  await using source = join('a', name, 500);
  using _reports = instrument(source, { meter });
  await group.elect('a', 0);
  group.fence('a', 0);
  await group.elect('a', 1);
  await group.revoke('a', 1);
  await group.elect('a', 1);
  await expect
    .poll(async () => sampleOf(await scrape(), 'leadership_lease_margin{', name))
    .toBeGreaterThan(0);
  const described = (await scrape())
    .filter((line) => line.startsWith('# TYPE '))
    .map((line) => line.split(' ')[2] ?? '');
  const file = new URL('../grafana-dashboard.json', import.meta.url);
  const dashboard = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  // The collector of OpenTelemetry appends the unit to names, the exporter of the SDK does not.
  const names = /leadership_\w+(?=\(_seconds\)\?|")|leadership_\w+(?=\{)/g;
  const used = dashboard.panels.flatMap(({ targets }) =>
    targets.flatMap(({ expr }) => expr.match(names) ?? []),
  );
  expect(used.length).toBeGreaterThan(7);
  // Without troubles the metric has no samples.
  const unknown = used.filter((metric) => !described.includes(metric));
  expect(unknown.filter((metric) => metric !== 'leadership_troubles')).toEqual([]);
});
