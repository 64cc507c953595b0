// Writes the README's animation as an animated PNG of few colours. A page of plain areas and text
// needs no more than a palette.
import { crc32, deflateSync } from 'node:zlib';

/** A frame: the rectangle that has changed, and how long it is shown. */
export interface Frame {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The colours of its pixels, as red, green, blue and opacity. */
  readonly pixels: Buffer;
  readonly delayMs: number;
}

/** Joins frames into one animation, which repeats. The first frame is the whole picture. */
export function animationOf(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) throw new Error('an animation needs a frame');
  const palette = new Palette(frames);
  const pictures = frames.map((frame) => deflateSync(rowsOf(frame, palette), { level: 9 }));
  let sequence = 0;
  const next = (): Buffer => numbers(sequence++);
  const body = frames.flatMap(({ x, y, width, height, delayMs }, index) => {
    const picture = pictures[index] ?? Buffer.alloc(0);
    // No frame is disposed of, and none is blended with the one before.
    const control = [numbers(width, height, x, y), shorts(delayMs, 1000), Buffer.alloc(2)];
    return [
      chunk('fcTL', next(), ...control),
      index === 0 ? chunk('IDAT', picture) : chunk('fdAT', next(), picture),
    ];
  });
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    // Eight bits for each pixel, which is a place in the palette.
    chunk('IHDR', numbers(first.width, first.height), Buffer.from([8, 3, 0, 0, 0])),
    chunk('acTL', numbers(frames.length, 0)),
    chunk('PLTE', Buffer.from(palette.colours.flat())),
    ...body,
    chunk('IEND'),
  ]);
}

type Colour = readonly [red: number, green: number, blue: number];

/** The 256 most frequent colours of all frames. Others become the nearest of them. */
class Palette {
  readonly colours: readonly Colour[];
  readonly #places = new Map<number, number>();

  constructor(frames: readonly Frame[]) {
    const counts = new Map<number, number>();
    for (const { pixels } of frames)
      for (let at = 0; at < pixels.length; at += 4) {
        const colour = pixels.readUIntBE(at, 3);
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
    const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, 256);
    this.colours = frequent.map(([colour]) => partsOf(colour));
  }

  placeOf(colour: number): number {
    const known = this.#places.get(colour);
    if (known !== undefined) return known;
    const place = this.#nearest(partsOf(colour));
    this.#places.set(colour, place);
    return place;
  }

  #nearest(colour: Colour): number {
    const distances = this.colours.map((other) =>
      other.reduce((sum, value, index) => sum + (value - (colour[index] ?? 0)) ** 2, 0),
    );
    return distances.indexOf(Math.min(...distances));
  }
}

function partsOf(colour: number): Colour {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

/** Returns the pixels as places in the palette. A zero before each row says that it is unfiltered. */
function rowsOf({ width, height, pixels }: Frame, palette: Palette): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = 4 * (y * width + x);
      rows[y * (width + 1) + x + 1] = palette.placeOf(pixels.readUIntBE(at, 3));
    }
  return rows;
}

function chunk(type: string, ...data: readonly Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), ...data]);
  return Buffer.concat([numbers(content.length - 4), content, numbers(crc32(content))]);
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, 4 * index);
  return buffer;
}

function shorts(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value, 2 * index);
  return buffer;
}
