import { monotonicClock } from '@leadership/core/adapter';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { kafkaError } from '../../src/errors.ts';
import { startupErrorFilter } from '../../src/group/startup-error-filter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const loading = kafkaError(
  Object.assign(new Error('loading'), { type: 'GROUP_LOAD_IN_PROGRESS' }),
  'consumer group g',
);
const unknown = kafkaError(
  Object.assign(new Error('none'), { name: 'KafkaJSGroupCoordinatorNotFound' }),
  'consumer group g',
);
const refused = kafkaError(
  Object.assign(new Error('no'), { type: 'GROUP_AUTHORIZATION_FAILED' }),
  'consumer group g',
);

describe('patience with a coordinator that is starting', () => {
  it('covers a coordinator that loads, or is not known yet, until the limit', () => {
    const filter = startupErrorFilter(monotonicClock, 5_000);
    expect([filter.covers(unknown), filter.covers(refused)]).toEqual([true, false]);
    vi.advanceTimersByTime(4_999);
    expect(filter.covers(loading)).toBe(true);
    vi.advanceTimersByTime(1);
    expect([filter.covers(loading), filter.covers(unknown)]).toEqual([false, false]);
  });

  it('starts over once the coordinator has worked', () => {
    const filter = startupErrorFilter(monotonicClock, 5_000);
    filter.covers(loading);
    vi.advanceTimersByTime(60_000);
    filter.reset();
    expect(filter.covers(loading)).toBe(true);
  });
});
