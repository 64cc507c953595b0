// Metrics of leadership for Prometheus, at http://localhost:9464/metrics.
import { openLeadership } from '@leadership/core';
import { instrument } from '@leadership/opentelemetry';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

const provider = new MeterProvider({ readers: [new PrometheusExporter()] });

const source = await openLeadership('file:./leadership?group=billing', { signals: true });
instrument(source, { meter: provider.getMeter('billing') });

await source.role('invoice-run').lead(({ token }) => console.log(`leading with token ${token}`));
await provider.shutdown(); // exporters that push, such as OTLP, send their last values
