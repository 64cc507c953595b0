import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { Backend, Host, Membership } from '../../src/contract/backend.ts';
import type { Assumption, Guarantees } from '../../src/contract/guarantees.ts';
import type { SourceOptions } from '../../src/contract/options.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import type { Term } from '../../src/contract/term.ts';
import { openSource } from '../../src/source/open-source.ts';
import { after } from '../../src/time/instant.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

/** A source over a backend that does only what the test commands. */
export interface SteeredSource {
  readonly source: LeadershipSource;
  readonly host: Host;
  readonly clock: ManualClock;
  /** The calls of the source to its backend, in order. */
  readonly asked: string[];
  /** What the source has published, as JSON, in order. */
  readonly published: string[];
  /** Grants partition 0 for `ms` from now, default 1000. */
  grant(token: bigint, ms?: number): 'prolonged' | 'began' | 'over';
  /**
   * Ends the term in order, as a backend does: drain, then release. Resolves with the result of the
   * drain.
   */
  revoke(partition?: number): Promise<'drained' | 'fenced'>;
}

/**
 * The reactions of the controlled backend. By default it drains and releases. `guarantees`
 * overrides some of its guarantees.
 */
export type Instead = Partial<Pick<Membership, 'close' | 'resign'>> & {
  readonly guarantees?: Partial<Guarantees>;
  /** Whether the backend has `standBy`. Default `true`. */
  readonly follows?: boolean;
};

export function steeredSource(options: SourceOptions = {}, instead: Instead = {}): SteeredSource {
  const clock = manualClock();
  const [asked, published]: [string[], string[]] = [[], []];
  const held: { host?: Host; source?: LeadershipSource } = {};
  const hostNow = (): Host => {
    if (held.host === undefined) throw new Error('the source did not start its backend');
    return held.host;
  };
  /** The pending end by term, so that repeated requests get the same result. */
  const draining = new Map<Term | undefined, Promise<'drained' | 'fenced'>>();
  const drain = async (partition: number): Promise<'drained' | 'fenced'> => {
    const end = await hostNow().drain(partition);
    if (end === 'drained') hostNow().released(partition);
    return end;
  };
  const revoke = (partition = 0): Promise<'drained' | 'fenced'> => {
    const term = held.source?.role(partition).term();
    const running = (term && draining.get(term)) ?? drain(partition);
    draining.set(term, running);
    return running;
  };
  const standBy = (partition: number, above: bigint | undefined): void => {
    asked.push(`stand ${partition} ${above === undefined ? 'no' : `above ${above}`}`);
    if (above === undefined) void revoke(partition);
  };
  const start = (host: Host): Membership => {
    held.host = host;
    return {
      campaign: (on) => void asked.push(`campaign ${on}`),
      publish: (publication) => void published.push(JSON.stringify(publication)),
      ...(instead.follows !== false && { standBy }),
      async resign(partition, abstainMs) {
        asked.push(`resign ${partition} ${abstainMs}`);
        await (instead.resign?.(partition, abstainMs) ?? revoke(partition));
      },
      async close() {
        asked.push('close');
        await (instead.close?.() ?? Promise.all([revoke(0), revoke(1)]));
      },
    };
  };
  const resolved = resolveOptions({
    group: 'g',
    member: 'a',
    partitions: 2,
    thresholdMs: 1000,
    ...options,
  });
  const source = openSource(
    { guarantees: { ...guarantees, ...instead.guarantees }, start },
    resolved,
    { clock, random: () => 0.5 },
  );
  held.source = source;
  const grant = (token: bigint, ms = 1000): 'prolonged' | 'began' | 'over' => {
    return hostNow().granted({
      partition: 0,
      token,
      until: after(clock.now(), ms),
      sentAt: clock.now(),
    });
  };
  return { source, host: hostNow(), clock, asked, published, grant, revoke };
}

const guarantees: Backend['guarantees'] = {
  exclusive: true,
  tokens: 'ordered',
  handover: 'drained',
  assumes: ['drift'] satisfies Assumption[],
  overlapMsMax: 0,
  failoverMsMax: 1000,
};
