/**
 * Yields the items of `source` until the signal aborts, then throws the signal's reason
 * immediately, even while the source is stuck in a call that never returns. Ignores whatever the
 * source does afterwards.
 */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
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
    // Not awaited, because a stuck source does not settle its return call either.
    iterator.return?.().catch(() => undefined);
  }
}
