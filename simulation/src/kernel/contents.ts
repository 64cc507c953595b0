// A hash over the contents of an event.

/**
 * Returns a 32-bit number that depends on every part of `value`. Equal contents have equal hashes.
 */
export function contentsHash(value: unknown): number {
  switch (typeof value) {
    case 'number':
      return numberHash(value);
    case 'bigint':
      return mix(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)));
    case 'string':
      return textHash(value);
    case 'boolean':
      return value ? 1 : 2;
    case 'object':
      return value === null ? 3 : objectHash(value);
    default:
      return 0;
  }
}

function objectHash(value: object): number {
  let hash = 7;
  if (Symbol.iterator in value) {
    for (const part of value as Iterable<unknown>) hash = mix(hash, contentsHash(part));
    return hash;
  }
  for (const key in value)
    hash = mix(
      mix(hash, textHash(key)),
      contentsHash((value as Readonly<Record<string, unknown>>)[key]),
    );
  return hash;
}

const float = new Float64Array(1);
const halves = new Int32Array(float.buffer);

function numberHash(value: number): number {
  if ((value | 0) === value) return value | 0;
  float[0] = value;
  return mix(halves[0] ?? 0, halves[1] ?? 0);
}

function textHash(text: string): number {
  let hash = text.length;
  for (let index = 0; index < text.length; index += 1) hash = mix(hash, text.charCodeAt(index));
  return hash;
}

function mix(hash: number, part: number): number {
  return (Math.imul(hash, 0x01000193) ^ Math.imul(part, 0x9e3779b1)) | 0;
}
