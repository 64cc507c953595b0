// A member's state on disk, as text: its hard state (N13), its restart counter (N8) and, if requested, its
// grants (N4).
import type { Memory } from '../protocol/memory.ts';
import type { HardState } from '../protocol/state.ts';
import type { Pin } from '../transport/transport.ts';

/** The content of one member's file. */
export interface StoredState {
  readonly format: 1;
  readonly group: string;
  readonly member: string;
  /** The restart counter of the incarnation that wrote it. */
  readonly life: number;
  readonly hardState: HardState;
  /** The group's pin at its creation: options that differ are an error (R4). */
  readonly pin?: Pin | undefined;
  /** The grants, if the member stores them. */
  readonly memory?: Memory | undefined;
}

/**
 * Formats the image as JSON. JSON has neither big integers nor infinity, so both are written as
 * objects with a string.
 */
export function formatStoredState(image: StoredState): string {
  return JSON.stringify(image, (_name, value: unknown) => worded(value));
}

/** Parses an image; `undefined` if the text is not one. */
export function parseStoredState(text: string): StoredState | undefined {
  try {
    const image = JSON.parse(text, (_name, value: unknown) =>
      unworded(value),
    ) as Partial<StoredState> | null;
    return image?.format === 1 &&
      typeof image.hardState?.epoch.number === 'number' &&
      typeof image.life === 'number'
      ? (image as StoredState)
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
