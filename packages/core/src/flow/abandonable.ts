/**
 * The items of `source` until the signal aborts, and then a throw of its reason: at once, also while the source is stuck in
 * a call that never returns. What the source does after that is ignored.
 */
export async function* abandonable<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let giveUp = (): void => undefined;
  const abandon = (): void => giveUp();
  const next = (): Promise<IteratorResult<T>> =>
    new Promise((resolve, reject) => {
      giveUp = () => reject(signal.reason);
      if (signal.aborted) giveUp();
      else iterator.next().then(resolve, reject);
    });
  signal.addEventListener('abort', abandon, { once: true });
  try {
    for (let item = await next(); !item.done; item = await next()) yield item.value;
  } finally {
    signal.removeEventListener('abort', abandon);
    // A source that is stuck never returns either, so this is not awaited.
    iterator.return?.().catch(() => undefined);
  }
}
