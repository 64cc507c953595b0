// The text of docs/reference/contract.md, the list of all checks of the conformance suite.
import type { Guarantees } from '@leadership/core';
import type { Check, CheckGroup, Fault } from '@leadership/testkit';

/** The faults that a cluster must be able to inject for a check, in words for the page. */
const faults: Readonly<Record<Fault, string>> = {
  processes: 'members in separate processes, which can be killed and blocked',
  'stopped-processes': 'members in processes that are stopped at any moment',
  cut: 'a member cut off from the store',
  'delete-state': "deleting the group's state while members run",
  garbage: 'invalid records in the store',
  'other-release': 'records of another release',
  'roll-back': 'a store that reverts to an older version',
  'request-count': 'counting requests',
  contents: 'listing what the store holds of a group',
  announcements: 'members that are notified of the claims of others',
  members: 'members that know all others, also those that do not lead',
  limits: 'members that are limited to a number of partitions',
  'stale-reads': 'stale reads',
  'lost-replies': 'lost replies',
  'late-writes': 'writes that arrive late',
  'reads-cut': 'a member that can write but not read',
  'writes-cut': 'a member that can read but not write',
  'hung-reads': 'reads that never complete',
  'expired-credentials': 'credentials that expire',
  'duplicate-names': 'two members with the same name at once',
  'voter-names': 'names that only one member can have at a time',
  'lose-quorum': 'losing voters until no quorum remains',
};

/** Guarantees of the two kinds of sources. They determine to which kind a check applies. */
const shared = { assumes: [], failoverMsMax: 1000 } as const;
const exclusive: Guarantees = {
  ...shared,
  exclusive: true,
  tokens: 'ordered',
  handover: 'drained',
  overlapMsMax: 0,
};
const continuous: Guarantees = {
  ...shared,
  exclusive: false,
  tokens: 'none',
  handover: 'overlapping',
  overlapMsMax: 1000,
};

/** Returns the page in Markdown. It lists the promise and the statement of every check. */
export function contractPage(groups: readonly CheckGroup[]): string {
  return `${[intro, ...groups.map(groupText), outro].join('\n\n')}\n`;
}

const intro = `# The contract

<!-- Written by \`npm run docs\` from the checks in packages/testkit/src/conformance: change those. -->

These are the promises of every backend. Each one is a check of the conformance suite, which runs
against every backend with real members and real faults. Each check is itself tested against a
source that breaks exactly this promise. Letters with numbers, such as L5 and H2, are
[rules](rules.md).`;

const outro = `## Testing your own backend

[Test an adapter](../how-to/test-an-adapter.md) shows how to run the suite. If your cluster cannot inject a fault, the checks that need it are reported as skipped, with
the reason. All time limits come from the \`guarantees\` that your source publishes.`;

function groupText({ title, checks }: CheckGroup): string {
  const rows = checks.map(checkRow);
  return [`## ${title}\n`, '| check | promise | needs |', '| --- | --- | --- |', ...rows].join(
    '\n',
  );
}

function checkRow(check: Check): string {
  const needs = check.needs.map((need) => faults[need]);
  const only = check.appliesTo?.(continuous) === false ? ['an exclusive source'] : [];
  const never = check.appliesTo?.(exclusive) === false ? ['a continuous source'] : [];
  return `| \`${check.id}\` | ${check.title}. | ${[...needs, ...only, ...never].join('; ')} |`;
}
