// Kafka's binary format of subscriptions and assignments, which all clients share. Members of one
// group may use different clients.

/** The topics of a member, and its data for the assigner. */
export interface Subscription {
  readonly topics: readonly string[];
  readonly userData: Buffer;
}

export function encodeSubscription(version: number, { topics, userData }: Subscription): Buffer {
  return Buffer.concat([
    int16(version),
    int32(topics.length),
    ...topics.map(text),
    bytes(userData),
  ]);
}

/** Encodes an assignment that names no partitions. */
export function encodeAssignment(version: number, userData: Buffer): Buffer {
  return Buffer.concat([int16(version), int32(0), bytes(userData)]);
}

/**
 * Decodes the subscription that a member sent.
 * @throws RangeError if the data are not a subscription
 */
export function decodeSubscription(data: Buffer): Subscription {
  const reader = readerOf(data);
  reader.int16();
  const topics = reader.list(reader.text);
  return { topics, userData: reader.bytes() };
}

/**
 * Returns the user data of an assignment; `undefined` if the coordinator has assigned nothing yet.
 * @throws RangeError if the data are not an assignment
 */
export function decodeAssignment(data: Buffer): Buffer | undefined {
  if (data.length === 0) return undefined;
  const reader = readerOf(data);
  reader.int16();
  reader.list(() => {
    reader.text();
    reader.list(reader.int32);
  });
  return reader.bytes();
}

function int16(value: number): Buffer {
  const data = Buffer.alloc(2);
  data.writeInt16BE(value);
  return data;
}

function int32(value: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeInt32BE(value);
  return data;
}

function text(value: string): Buffer {
  const data = Buffer.from(value);
  return Buffer.concat([int16(data.length), data]);
}

function bytes(data: Buffer): Buffer {
  return Buffer.concat([int32(data.length), data]);
}

interface Reader {
  readonly int16: () => number;
  readonly int32: () => number;
  readonly text: () => string;
  readonly bytes: () => Buffer;
  list<T>(item: () => T): T[];
}

function readerOf(data: Buffer): Reader {
  let at = 0;
  const take = (length: number): Buffer => {
    if (length < 0 || at + length > data.length)
      throw new RangeError(`${length} bytes at ${at} of ${data.length}`);
    at += length;
    return data.subarray(at - length, at);
  };
  const int16 = (): number => take(2).readInt16BE();
  const int32 = (): number => take(4).readInt32BE();
  return {
    int16,
    int32,
    text: () => take(int16()).toString('utf8'),
    // The length -1 encodes null.
    bytes: () => take(Math.max(0, int32())),
    list(item) {
      const items = [];
      for (let left = int32(); left > 0; left -= 1) items.push(item());
      return items;
    },
  };
}
