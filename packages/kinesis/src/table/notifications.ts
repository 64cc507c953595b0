// The port over which members notify each other that the table has changed. Only the table
// determines the state.

/** Sends and receives wake-up notifications of a group. */
export interface Notifications {
  /** Notifies the other members of a change in the table. Returns at once. */
  notify(): void;
  /**
   * Calls `ring` for each notification until the signal aborts. Resolves once it listens, or once
   * it is clear that it will only listen later; in any case soon. The first call rejects if an
   * error that only a person can fix is known by then.
   */
  listen(ring: () => void, signal: AbortSignal): Promise<void>;
  /** Stops sending. */
  close(): void;
}

/** The notifications of a group without a stream: none. Members only poll. */
export const noNotifications: Notifications = {
  notify: () => undefined,
  listen: () => Promise.resolve(),
  close: () => undefined,
};
