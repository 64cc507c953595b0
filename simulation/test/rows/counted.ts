import { rows } from '../../src/rows/protocol.ts';

/** The scenarios with limits of counters, which are judged only after half an hour. */
export const countedRows: typeof rows = {
  ...rows,
  scenarios: rows.scenarios.filter(
    ({ bounds, leaderlessShareMax }) => bounds !== undefined || leaderlessShareMax < 1,
  ),
};
