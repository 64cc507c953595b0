/** The partitions that a member asks to be spared. */
export interface Spared {
  /** It gave the partition up, and leaves it alone for a while; or no longer does. */
  givenUp(partition: number, on: boolean): void;
  /** It does not stand there; or does again. */
  notStanding(partition: number, on: boolean): void;
}

/** `tell` hears of all of them, whatever the reason, whenever that may have changed. */
export function spared(tell: (partitions: ReadonlySet<number>) => void): Spared {
  const gaveUp = new Set<number>();
  const idle = new Set<number>();
  const marking = (set: Set<number>) => (partition: number, on: boolean) => {
    if (on) set.add(partition);
    else set.delete(partition);
    tell(new Set([...gaveUp, ...idle]));
  };
  return { givenUp: marking(gaveUp), notStanding: marking(idle) };
}
