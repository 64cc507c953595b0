import type { Guarantees } from '@leadership/core';
import type { Chapter, Check, Fault } from '@leadership/testkit';

/** What a cluster has to be able to do, in words that stand beside a promise. */
const faults: Readonly<Record<Fault, string>> = {
  processes: 'members that are processes of their own, to be killed, stopped and blocked',
  cut: 'a member cut off from the store',
  'delete-state': "the group's state deleted under way",
  garbage: 'garbage where records are',
  'other-release': 'records of another release',
  'roll-back': 'a store that goes back a few versions',
  'request-count': 'requests that are counted',
  'stale-reads': 'reads of an old state',
  'lost-replies': 'replies that are lost',
  'late-writes': 'writes that arrive late',
  'reads-cut': 'a member that can write and not read',
  'writes-cut': 'a member that can read and not write',
  'hung-reads': 'reads that are never answered',
  'expired-credentials': 'credentials that expire',
  namesakes: 'two members of one name at once',
  seats: 'names that one member can have at a time',
  'lose-quorum': 'voters that are lost until no quorum is left',
};

/** The guarantees of the two kinds of source there are: whoever a check applies to, it applies to by these. */
const shared = { assumes: [], failoverMsMax: 1000 } as const;
const exclusive: Guarantees = { ...shared, exclusive: true, tokens: 'ordered', handover: 'drained', overlapMsMax: 0 };
const continuous: Guarantees = { ...shared, exclusive: false, tokens: 'none', handover: 'overlapping', overlapMsMax: 1000 };

/** The page on what is promised, as Markdown: the checks themselves, in their own words. */
export function contractPage(chapters: readonly Chapter[]): string {
  return `${[intro, ...chapters.map(chapterText), outro].join('\n\n')}\n`;
}

const intro = `# The contract

<!-- Written by \`node tools/dist/contract-page/main.js\` from the checks in packages/testkit/src/conformance: change those. -->

What every backend promises. Each line is a check of the conformance suite, which runs on real members and real faults against every
backend, and which is itself tried on a source that breaks just that promise. Letters and numbers (L5, H2) are the rules of the protocol.`;

const outro = `## Trying it on a backend of your own

\`\`\`ts
import { conformanceTests } from '@leadership/testkit/vitest';

conformanceTests(() => myCluster()); // a Cluster: how members join, and what can be done to them
\`\`\`

What your cluster cannot do to its members or its store is reported as skipped, with the reason. Bounds come from the \`guarantees\` that
your source publishes, never from the suite.`;

function chapterText({ title, checks }: Chapter): string {
  return [`## ${title}`, ...checks.map(checkText)].join('\n\n');
}

function checkText(check: Check): string {
  const needs = check.needs.map((need) => faults[need]);
  const only = check.appliesTo?.(continuous) === false ? ['a source that is exclusive'] : [];
  const never = check.appliesTo?.(exclusive) === false ? ['a source that is continuous'] : [];
  const conditions = [...needs, ...only, ...never];
  return `**${check.promise}**\\\n${check.claim}.${conditions.length > 0 ? ` *Needs ${conditions.join('; ')}.*` : ''}`;
}
