import type { Instant } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bracketOf, withSample } from '../../src/protocol/broker-clock.ts';
import { inductionRules } from '../../src/protocol/rules.ts';
import type { BrokerClock, Sample } from '../../src/protocol/state.ts';

const driftRate = 0.05;

/** Two clocks with different rates: returns their readings at a real instant. */
interface Clocks {
  readonly ownRate: number;
  readonly brokerRate: number;
  readonly brokerOffsetMs: number;
}

const clocks: fc.Arbitrary<Clocks> = fc.record({
  ownRate: fc.double({ min: 1 - driftRate, max: 1 + driftRate, noNaN: true }),
  brokerRate: fc.double({ min: 1 - driftRate, max: 1 + driftRate, noNaN: true }),
  brokerOffsetMs: fc.double({ min: -1e7, max: 1e7, noNaN: true }),
});
const own = ({ ownRate }: Clocks, realMs: number): Instant => (realMs * ownRate) as Instant;
const stamp = ({ brokerRate, brokerOffsetMs }: Clocks, realMs: number): number =>
  Math.floor(realMs * brokerRate + brokerOffsetMs);

/** An own beat: sent, published and received at real instants. */
const trip = fc.tuple(
  fc.double({ min: 0, max: 1e5, noNaN: true }),
  fc.double({ min: 0, max: 500, noNaN: true }),
  fc.double({ min: 0, max: 500, noNaN: true }),
);

function sampleOf(
  world: Clocks,
  [sentMs, thereMs, backMs]: readonly [number, number, number],
): Sample {
  return {
    sentAt: own(world, sentMs),
    stampedMs: stamp(world, sentMs + thereMs),
    receivedAt: own(world, sentMs + thereMs + backMs),
  };
}

function learned(samples: readonly Sample[]): BrokerClock | undefined {
  return samples.reduce<BrokerClock | undefined>(
    (clock, sample) => withSample(inductionRules, clock, sample, driftRate).clock,
    undefined,
  );
}

describe("the clock of a partition's broker (I2)", () => {
  it('never places a beat after its publication, nor its upper bound before it, whatever the clocks and delays', () => {
    const holds = (
      world: Clocks,
      trips: readonly (readonly [number, number, number])[],
      publishedMs: number,
    ): void => {
      const clock = learned(trips.map((one) => sampleOf(world, one)));
      if (clock === undefined) throw new Error('there are samples');
      const { earliest, latest } = bracketOf(
        inductionRules,
        clock,
        stamp(world, publishedMs),
        driftRate,
      );
      const truth = own(world, publishedMs);
      // Rounding of numbers of this size.
      expect(earliest).toBeLessThanOrEqual(truth + 1e-6);
      expect(latest).toBeGreaterThanOrEqual(truth - 1e-6);
    };
    fc.assert(
      fc.property(
        clocks,
        fc.array(trip, { minLength: 1, maxLength: 8 }),
        fc.double({ min: -1e5, max: 2e5, noNaN: true }),
        holds,
      ),
    );
  });

  it('never reports a contradiction while both clocks keep their rates', () => {
    const agrees = (world: Clocks, trips: readonly (readonly [number, number, number])[]): void => {
      let clock: BrokerClock | undefined;
      for (const one of trips) {
        const next = withSample(inductionRules, clock, sampleOf(world, one), driftRate);
        expect(next.agrees).toBe(true);
        clock = next.clock;
      }
    };
    fc.assert(fc.property(clocks, fc.array(trip, { minLength: 1, maxLength: 8 }), agrees));
  });

  it('is known more precisely the faster a beat returns, and less precisely as time passes', () => {
    const at = (sentAt: number, rttMs: number): Sample => ({
      sentAt: sentAt as Instant,
      stampedMs: sentAt + rttMs / 2,
      receivedAt: (sentAt + rttMs) as Instant,
    });
    const errorMs = (clock: BrokerClock | undefined, stampedMs: number): number => {
      if (clock === undefined) throw new Error('nothing is known');
      const { earliest, latest } = bracketOf(inductionRules, clock, stampedMs, 0.001);
      return latest - earliest;
    };
    const slow = learned([at(0, 100)]);
    const quick = learned([at(0, 100), at(1000, 4)]);
    expect(errorMs(quick, 1002)).toBeLessThan(errorMs(slow, 1002));
    expect(errorMs(quick, 1002)).toBeCloseTo(6, 0);
    expect(errorMs(quick, 61_002)).toBeGreaterThan(100);
    // A slow beat that arrives later does not reduce the precision of a fast one.
    expect(errorMs(learned([at(1000, 4), at(1200, 300)]), 1352)).toBeLessThan(8);
  });

  it("starts over after a beat that contradicts the known relation: the broker's clock has stepped", () => {
    const before: Sample = {
      sentAt: 1000 as Instant,
      stampedMs: 5000,
      receivedAt: 1010 as Instant,
    };
    for (const stepMs of [200, -200]) {
      const sample: Sample = {
        sentAt: 2000 as Instant,
        stampedMs: 6005 + stepMs,
        receivedAt: 2010 as Instant,
      };
      const { clock, agrees } = withSample(inductionRules, learned([before]), sample, 0.001);
      expect(agrees).toBe(false);
      expect(clock).toEqual({ floor: sample, ceiling: sample });
    }
    const small: Sample = {
      sentAt: 2000 as Instant,
      stampedMs: 6005,
      receivedAt: after(2000 as Instant, 10),
    };
    expect(withSample(inductionRules, learned([before]), small, 0.001).agrees).toBe(true);
  });
});
