// The names of the demo's processes.

/** The names of the demo's members. */
export const memberNames: readonly string[] = ['alice', 'bob', 'carol'];

/** The name of the demo's own source, which observes. */
export const observerName = 'demo';
