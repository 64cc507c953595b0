import { expect, it } from 'vitest';
import { RenewalMeter } from '../../src/source/renewal-meter.ts';
import { type Instant, never } from '../../src/time/instant.ts';

const at = (ms: number): Instant => ms as Instant;

it('keeps the slowest renewal and the smallest margin for one to two minutes', () => {
  const meter = new RenewalMeter();
  meter.arrived(at(1000), at(990), never);
  expect(meter.measured(), 'a first proof prolongs no lease').toEqual({ renewalMs: 10 });
  meter.arrived(at(5000), at(4200), at(5100));
  meter.arrived(at(9000), at(8995), at(14_000));
  expect(meter.measured()).toEqual({ renewalMs: 800, leaseMarginMs: 100 });
  meter.arrived(at(64_000), at(63_980), at(70_000));
  expect(meter.measured()).toEqual({ renewalMs: 800, leaseMarginMs: 100 });
  meter.arrived(at(125_000), at(124_995), at(127_000));
  expect(meter.measured()).toEqual({ renewalMs: 20, leaseMarginMs: 2000 });
  meter.arrived(at(900_000), at(899_999), at(903_000));
  expect(meter.measured(), 'after a pause').toEqual({ renewalMs: 1, leaseMarginMs: 3000 });
});
