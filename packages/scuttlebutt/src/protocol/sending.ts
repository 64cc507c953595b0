// Decides to which members a member sends, and what. Voters and members with votes exchange more
// often than others. Rule numbers such as R4: docs/reference/rules.md.

import type { Declaration } from './election/declaration.ts';
import { rowOf, selfOf } from './gossip/context.ts';
import { type Body, digestsOf, selectionOf } from './gossip/digests.ts';
import { chosen, peersOf } from './gossip/peers.ts';
import type { StepContext } from './step-context.ts';

/** Sends a message. */
export function send(context: StepContext, to: string, body: Body<Declaration>): void {
  const { gossip, config } = context;
  if (to === config.member) return;
  const from = rowOf(gossip, selfOf(gossip));
  context.outputs.push({ kind: 'send', to, message: { pin: config.pin, from, body } });
}

/** Sends a digest to the peers of this round. A newcomer also tries all voters and seeds (R4). */
export function sendRound(context: StepContext): void {
  const { gossip, config, election, contactedBy } = context;
  const peers = new Set(peersOf(gossip));
  if (!election.state.isAdmitted)
    for (const name of [...config.voters, ...config.seeds])
      if (!contactedBy.includes(name)) peers.add(name);
  const digests = digestsOf(gossip);
  for (const to of peers) for (const digest of digests) send(context, to, digest);
}

/** The voters, and the members that any of them declares as its favorite. */
export function electors({ config, gossip, election }: StepContext): ReadonlySet<string> {
  const names = new Set(config.voters);
  for (const voter of config.voters)
    for (const support of gossip.nodes.get(voter)?.declaration?.vote?.supports ?? [])
      if (support) names.add(support.member);
  for (const { favorite } of election.state.voterStates) if (favorite) names.add(favorite.member);
  return names;
}

/** Whether this member renews its declaration at the election interval. */
export function isElector(context: StepContext): boolean {
  const { election } = context;
  if (election.state.voterStates.length > 0) return true;
  return election.state.candidateStates.length > 0 && isFavorite(context);
}

/** Whether any voter declares this member as its favorite. */
function isFavorite({ config, gossip }: StepContext): boolean {
  return config.voters.some((voter) =>
    gossip.nodes
      .get(voter)
      ?.declaration?.vote?.supports.some((support) => support?.member === config.member),
  );
}

/** Sends the own declaration to the voters, and to the favorites of this voter. */
export function sendDeclaration(context: StepContext): void {
  const { config, gossip, election } = context;
  const self = selfOf(gossip);
  if (self.declaration === undefined) return;
  const row = rowOf(gossip, self);
  const delta = { row, declaration: self.declaration, since: self.version, entries: [] };
  const receivers = new Set(config.voters);
  for (const { favorite } of election.state.voterStates)
    if (favorite) receivers.add(favorite.member);
  for (const to of receivers) send(context, to, { kind: 'deltas', deltas: [delta] });
}

/** Exchanges the rows of all electors with one of them: a way around a cut between two of them. */
export function sendElectorRows(context: StepContext): void {
  const { config, gossip } = context;
  const names = electors(context);
  const others = [...names].filter((name) => name !== config.member);
  const digest = selectionOf(gossip, names);
  for (const to of chosen(gossip, others, 1)) send(context, to, digest);
}
