/** A delay line: items arrive in order, each after the delay that applied when it was sent. */
export interface DelayLine<T> extends Disposable {
  send(thing: T, delayMs: number): void;
}

/**
 * Creates a line that passes items to `arrive`. Without a delay and pending items, it passes them
 * synchronously.
 */
export function delayLine<T>(arrive: (thing: T) => void): DelayLine<T> {
  const underWay: { readonly thing: T; readonly dueAt: number }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = (): void => {
    const [first] = underWay;
    // A timer may fire up to a millisecond early, so compare with the clock.
    timer = first && setTimeout(deliver, Math.max(0, Math.ceil(first.dueAt - performance.now())));
  };
  const deliver = (): void => {
    for (
      let [first] = underWay;
      first !== undefined && first.dueAt <= performance.now();
      [first] = underWay
    ) {
      underWay.shift();
      arrive(first.thing);
    }
    arm();
  };
  return {
    send(thing, delayMs) {
      if (delayMs <= 0 && underWay.length === 0) return arrive(thing);
      underWay.push({ thing, dueAt: performance.now() + delayMs });
      if (timer === undefined) arm();
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      underWay.length = 0;
    },
  };
}
