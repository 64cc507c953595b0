/** The names of the demo's members. */
export const memberNames: readonly string[] = ['alice', 'bob', 'carol'];
