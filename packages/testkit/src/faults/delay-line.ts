/** Things on their way: each arrives so much later as was said when it set out, and never before one that set out earlier. */
export interface DelayLine<T> extends Disposable {
  send(thing: T, delayMs: number): void;
}

/** A line that ends in `arrive`. Without a delay, and with nothing under way, things arrive at once. */
export function delayLine<T>(arrive: (thing: T) => void): DelayLine<T> {
  const underWay: { readonly thing: T; readonly dueAt: number }[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = (): void => {
    const [first] = underWay;
    // Timers fire early by up to a millisecond: the clock decides.
    timer = first && setTimeout(deliver, Math.max(0, Math.ceil(first.dueAt - performance.now())));
  };
  const deliver = (): void => {
    for (let [first] = underWay; first !== undefined && first.dueAt <= performance.now(); [first] = underWay) {
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
