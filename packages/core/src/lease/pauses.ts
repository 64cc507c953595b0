// The times that a member gives a request, and those after one that did not do what it should. In T.

/** How long an exchange may take: one that hangs must leave time for another. */
export const limitShare: number = 1 / 4;
/** The pause after a request was refused or has failed, so that none is repeated in every turn. */
export const refusedShare: number = 1 / 12;
/** How long a member that has resigned does not claim the partition. */
export const abstainThresholds = 2;
/** The shortest time between two exchanges of which the first has failed. */
export const soonShare: number = 1 / 50;
