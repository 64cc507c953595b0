// Reports one source to OpenTelemetry: its state as metrics, its terms as spans.
import type { LeadershipSource } from '@leadership/core';
import { type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { reportMetrics } from './report-metrics.ts';
import { reportSpans } from './report-spans.ts';

/** Options for {@link instrument}. */
export interface InstrumentOptions {
  /** Default: the meter `@leadership/opentelemetry` of the global provider. */
  readonly meter?: Meter;
  /** Default: the tracer `@leadership/opentelemetry` of the global provider. */
  readonly tracer?: Tracer;
}

const name = '@leadership/opentelemetry';

/**
 * Reports a source until the result is disposed. A closed source is reported as unhealthy and
 * without leadership: gauges that end would keep their last value. Call it once for each source,
 * after the application has registered its providers.
 *
 * Metrics have the attributes `leadership.group` and `leadership.member`, those of one partition
 * also `leadership.partition`. Each term is a span, whose children are its drains.
 */
export function instrument(
  source: LeadershipSource,
  { meter = metrics.getMeter(name), tracer = trace.getTracer(name) }: InstrumentOptions = {},
): Disposable {
  const measured = reportMetrics(source, meter);
  const traced = reportSpans(source, tracer);
  return {
    [Symbol.dispose]() {
      try {
        measured[Symbol.dispose]();
      } finally {
        traced[Symbol.dispose]();
      }
    },
  };
}
