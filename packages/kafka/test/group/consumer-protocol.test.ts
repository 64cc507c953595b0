import fc from 'fast-check';
import { AssignerProtocol } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../src/group/consumer-protocol.ts';

const userData = fc.uint8Array({ maxLength: 40 }).map((data) => Buffer.from(data));

describe('the consumer protocol', () => {
  it('is written and read as KafkaJS does: members of one group may use different clients', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 9, unit: 'binary' })),
        userData,
        (topics, data) => {
          const subscription = encodeSubscription(1, { topics, userData: data });
          expect(
            AssignerProtocol.MemberMetadata.encode({ version: 1, topics, userData: data }),
          ).toEqual(subscription);
          expect(decodeSubscription(subscription)).toEqual({ topics, userData: data });
          const assignment = AssignerProtocol.MemberAssignment.encode({
            version: 1,
            assignment: {},
            userData: data,
          });
          expect(encodeAssignment(1, data)).toEqual(assignment);
          expect(decodeAssignment(assignment)).toEqual(data);
        },
      ),
    );
  });

  it('reads over the partitions that other members were assigned', () => {
    const data = Buffer.from('data');
    const assignment = AssignerProtocol.MemberAssignment.encode({
      version: 1,
      assignment: { a: [1, 2], b: [] },
      userData: data,
    });
    expect(decodeAssignment(assignment)).toEqual(data);
  });

  it('says that nothing was assigned yet', () => {
    expect(decodeAssignment(Buffer.alloc(0))).toBeUndefined();
  });

  it('ends on anything, as any member may send anything', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
        for (const decode of [decodeSubscription, decodeAssignment]) {
          try {
            decode(Buffer.from(data));
          } catch (error) {
            expect(error).toBeInstanceOf(RangeError);
          }
        }
      }),
    );
  });
});
