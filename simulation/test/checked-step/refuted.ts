/** The guards that did not hold in the present test. */
export const refuted: string[] = [];
