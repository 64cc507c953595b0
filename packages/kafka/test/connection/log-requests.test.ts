import { describe, expect, it } from 'vitest';
import { isTopicKnown } from '../../src/connection/log-requests.ts';
import { BrokerError } from '../../src/platformatic/broker-error.ts';

const refused = (type: string): Promise<never> => Promise.reject(new BrokerError(type, type));

describe('the check whether a broker knows a topic', () => {
  it("decides by the broker's answer, or by two of its errors", async () => {
    expect(await isTopicKnown(Promise.resolve({}))).toBe(true);
    expect(await isTopicKnown(refused('LEADER_NOT_AVAILABLE'))).toBe(true);
    expect(await isTopicKnown(refused('UNKNOWN_TOPIC_OR_PARTITION'))).toBe(false);
  });

  it('rejects on any other error', async () => {
    await expect(isTopicKnown(refused('TOPIC_AUTHORIZATION_FAILED'))).rejects.toMatchObject({
      type: 'TOPIC_AUTHORIZATION_FAILED',
    });
  });
});
