/** Who is on stage. */
export const members: readonly string[] = ['alice', 'bob', 'carol'];
