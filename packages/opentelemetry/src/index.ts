/**
 * Metrics and traces of leader election for OpenTelemetry. {@link instrument} reports a source to
 * the meter and the tracer of the application.
 *
 * @packageDocumentation
 */
export { type InstrumentOptions, instrument } from './instrument.ts';
