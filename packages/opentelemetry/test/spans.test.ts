import { memoryGroup } from '@leadership/core/memory';
import { SpanStatusCode } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { instrument } from '../src/index.ts';

function traced() {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const name = `spans-${crypto.randomUUID()}`;
  const group = memoryGroup(name);
  const source = group.join({ member: 'a', partitions: 1, thresholdMs: 60_000, log: false });
  return { exporter, tracer: provider.getTracer('test'), group, source };
}

test('a term and its drain are spans, with the token', async () => {
  const { exporter, tracer, group, source } = traced();
  await using _source = source;
  using _reports = instrument(source, { tracer });
  await group.elect('a', 0);
  const token = source.held().get(0)?.token;
  await group.revoke('a', 0);
  const [drain, term] = exporter.getFinishedSpans();
  expect([drain?.name, term?.name]).toEqual(['leadership drain', 'leadership term']);
  expect(drain?.parentSpanContext?.spanId).toBe(term?.spanContext().spanId);
  expect(term?.attributes).toMatchObject({ 'leadership.partition': 0, 'leadership.member': 'a' });
  expect(term?.attributes['leadership.token']).toBe(String(token));
  expect(term?.status.code).toBe(SpanStatusCode.UNSET);
});

test('a lost term ends as an error with its reason', async () => {
  const { exporter, tracer, group, source } = traced();
  await using _source = source;
  using _reports = instrument(source, { tracer });
  await group.elect('a', 0);
  group.fence('a', 0);
  const [term] = exporter.getFinishedSpans();
  expect(term?.status.code).toBe(SpanStatusCode.ERROR);
  expect(term?.attributes['leadership.reason']).toMatch(/\w/);
});

test('a term that runs at the start of the report is included, and ends with the report', async () => {
  const { exporter, tracer, group, source } = traced();
  await using _source = source;
  await group.elect('a', 0);
  instrument(source, { tracer })[Symbol.dispose]();
  expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['leadership term']);
});
