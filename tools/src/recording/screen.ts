// Takes the pictures of the README's animation from a browser, each reduced to what has changed
// since the picture before.
import type { Page } from 'playwright-core';
import type { Frame } from './animation.ts';

/** The area of the page that is recorded. Pixels. */
export interface Area {
  readonly width: number;
  readonly height: number;
}

/** Takes pictures of a page. */
export class Screen {
  readonly #page: Page;
  readonly #canvas: Page;
  readonly #area: Area;

  /** The second page computes the differences; a browser decodes PNGs. */
  constructor(page: Page, canvas: Page, area: Area) {
    this.#page = page;
    this.#canvas = canvas;
    this.#area = area;
  }

  /** Returns the part that has changed, or `undefined` if nothing has. */
  async frame(): Promise<Omit<Frame, 'delayMs'> | undefined> {
    const clip = { x: 0, y: 0, ...this.#area };
    const png = await this.#page.screenshot({ clip });
    const changed = (await this.#canvas.evaluate(`(${difference})('${png.toString('base64')}')`)) as
      | (Omit<Frame, 'delayMs' | 'pixels'> & { readonly base64: string })
      | null;
    if (changed === null) return undefined;
    const { base64, ...place } = changed;
    return { ...place, pixels: Buffer.from(base64, 'base64') };
  }
}

/** Runs in the browser: returns the smallest rectangle that contains all changed pixels. */
const difference = `async (base64) => {
  const blob = await (await fetch('data:image/png;base64,' + base64)).blob();
  const picture = await createImageBitmap(blob);
  const { width, height } = picture;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { alpha: false });
  context.drawImage(picture, 0, 0);
  const now = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const before = globalThis.before ?? new Uint32Array(now.length);
  globalThis.before = now;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < now.length; at += 1) {
    if (now[at] === before[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x), Math.max(bottom, y)];
  }
  if (right < 0) return null;
  const place = { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  const pixels = context.getImageData(place.x, place.y, place.width, place.height).data;
  let text = '';
  for (let at = 0; at < pixels.length; at += 8192)
    text += String.fromCharCode(...pixels.subarray(at, at + 8192));
  return { ...place, base64: btoa(text) };
}`;
