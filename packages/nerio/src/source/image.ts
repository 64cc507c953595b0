// What a member has on disk, as text: what it must never forget (N13), in which life it is (N8), and, where asked for, what it granted (N4).
import type { Memory } from '../protocol/memory.ts';
import type { Vow } from '../protocol/state.ts';
import type { Pin } from '../transport/transport.ts';

/** One member's file. */
export interface Image {
  readonly format: 1;
  readonly group: string;
  readonly member: string;
  /** The life that wrote it. */
  readonly life: number;
  readonly vow: Vow;
  /** What all members agreed on when the group began: options that differ are an error (R4). */
  readonly pin?: Pin | undefined;
  /** What it granted, where that is kept. */
  readonly memory?: Memory | undefined;
}

/** The image as text. JSON knows neither whole numbers of any size nor infinity: both are written in words. */
export function formatImage(image: Image): string {
  return JSON.stringify(image, (_name, value: unknown) => worded(value));
}

/** The image in that text, `undefined` where there is none. */
export function parseImage(text: string): Image | undefined {
  try {
    const image = JSON.parse(text, (_name, value: unknown) => unworded(value)) as Partial<Image> | null;
    return image?.format === 1 && typeof image.vow?.epoch.number === 'number' && typeof image.life === 'number'
      ? (image as Image)
      : undefined;
  } catch {
    return undefined;
  }
}

function worded(value: unknown): unknown {
  if (typeof value === 'bigint') return { whole: value.toString() };
  return typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value;
}

function unworded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return value;
  if ('whole' in value && typeof value.whole === 'string') return BigInt(value.whole);
  if ('number' in value && typeof value.number === 'string') return Number(value.number);
  return value;
}
