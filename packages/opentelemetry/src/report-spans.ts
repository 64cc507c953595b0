// The traces of a source: a span for each term of this member.
import type { LeadershipEvent, LeadershipSource } from '@leadership/core';
import { ROOT_CONTEXT, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

/** The spans of one term. */
interface TermSpans {
  readonly term: Span;
  drain?: Span;
}

/**
 * Reports each term as a span `leadership term`, and its orderly end as a child span `leadership
 * drain`. Terms that run when the report starts are included.
 */
export function reportSpans(source: LeadershipSource, tracer: Tracer): Disposable {
  const running = new Map<number, TermSpans>();
  const begin = (partition: number, token: bigint | undefined, startTime?: Date): void => {
    const attributes = {
      'leadership.group': source.group,
      'leadership.member': source.member,
      'leadership.partition': partition,
      'leadership.token': String(token),
    };
    const options = { root: true, attributes, ...(startTime && { startTime }) };
    running.set(partition, { term: tracer.startSpan('leadership term', options) });
  };
  const drain = (partition: number): void => {
    const spans = running.get(partition);
    if (spans === undefined) return;
    const parent = trace.setSpan(ROOT_CONTEXT, spans.term);
    spans.drain = tracer.startSpan('leadership drain', {}, parent);
  };
  const end = (partition: number, lossReason?: string): void => {
    const spans = running.get(partition);
    running.delete(partition);
    for (const span of [spans?.drain, spans?.term]) {
      if (lossReason !== undefined) {
        span?.setAttribute('leadership.reason', lossReason);
        span?.setStatus({ code: SpanStatusCode.ERROR, message: `fenced: ${lossReason}` });
      }
      span?.end();
    }
  };
  const report = ({ kind, partition, token, reason }: LeadershipEvent): void => {
    if (partition === undefined) return;
    switch (kind) {
      case 'acquired':
        return begin(partition, token);
      case 'revoked':
        return drain(partition);
      case 'released':
        return end(partition);
      case 'fenced':
        return end(partition, reason);
      default:
    }
  };
  for (const [partition, { token, since }] of source.held()) begin(partition, token, since);
  const subscription = source.events$.subscribe(report);
  return {
    [Symbol.dispose]() {
      subscription.unsubscribe();
      for (const partition of [...running.keys()]) end(partition);
    },
  };
}
