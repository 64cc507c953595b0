// How the first releases, which led each partition by records of its own on the topic, read the pin of a
// group: as they were published. A member whose options the pin contradicts joins no group: it writes
// nothing, and removes no record.

/** A pin as the first release published it, byte by byte. */
export const publishedPin =
  '{"group":"old","partition":-1,"id":"o/o/pin.1","after":null,"height":0,"member":"o","incarnation":"o","kind":"pin","token":"0","thresholdMs":500,"metadata":{"partitions":"2","thresholdMsMax":"500"}}';

/** Returns how a member of the first releases answers a record of partition 0 as the pin of its group. */
export function answerOfFirstReleases(
  text: string,
  own: { readonly group: string; readonly partitions: number; readonly thresholdMsMax: number },
): 'ignores' | 'agrees' | 'refuses' {
  const data = fieldsIn(text);
  if (data === undefined || !isRecord(data)) return 'ignores';
  if (data['group'] !== own.group || data['partition'] !== -1) return 'ignores';
  const metadata = isFields(data['metadata']) ? data['metadata'] : {};
  const agrees =
    metadata['partitions'] === String(own.partitions) &&
    metadata['thresholdMsMax'] === String(own.thresholdMsMax) &&
    (metadata['guarantee'] ?? 'exclusive') === 'exclusive';
  return agrees ? 'agrees' : 'refuses';
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(data: Fields): boolean {
  const { group, id, member, incarnation, kind, after, token } = data;
  return (
    [group, id, member, incarnation, kind].every((name) => typeof name === 'string') &&
    (after === null || typeof after === 'string') &&
    typeof token === 'string' &&
    /^\d{1,19}$/.test(token) &&
    BigInt(token) < 2n ** 63n &&
    hasSaneNumbers(data)
  );
}

function hasSaneNumbers({ partition, height, thresholdMs }: Fields): boolean {
  return (
    Number.isSafeInteger(partition) &&
    Number.isSafeInteger(height) &&
    Number(height) >= 0 &&
    Number(height) <= 2 ** 52 &&
    Number.isFinite(thresholdMs) &&
    Number(thresholdMs) > 0 &&
    Number(thresholdMs) <= 86_400_000
  );
}

function fieldsIn(text: string): Fields | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return isFields(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function isFields(data: unknown): data is Fields {
  return typeof data === 'object' && data !== null;
}
