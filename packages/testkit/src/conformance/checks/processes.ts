// Conformance checks with members in processes that are killed, stopped and blocked.
import { termRecordsOf } from '../../history/term-records.ts';
import { violationsOf } from '../../history/violations.ts';
import type { MemberEvent } from '../../processes/process-member.ts';
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive, Unsafe } from '../failure.ts';
import { measureLatency, stallAllowance } from '../latency.ts';
import { processGroup } from '../process-group.ts';

const idle = { kind: 'idle' } as const;

/** Exclusion while processes are killed, stopped and blocked. */
export const exclusionUnderKills: Check = defineCheck({
  id: 'exclusion-under-kills',
  title:
    'Two processes never lead the same role at once while leaders are killed, stopped for longer than T, or blocked; tokens only grow (L1–L6, H5, T1)',
  needs: ['processes', 'stopped-processes'],
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const { thresholdMs } = context;
    const members = await processGroup(context, ['a', 'b', 'c'], idle);
    const killed = await members.leader();
    await killed.member.kill();
    await members.join('d');
    const stopped = await members.leader(killed.acquired.atNs);
    stopped.member.pause();
    const blocked = await members.leader(stopped.acquired.atNs);
    stopped.member.resume();
    blocked.member.block(1.5 * thresholdMs);
    const last = await members.leader(blocked.acquired.atNs);
    // A member that was stopped or blocked has reported by the time another round trip is over.
    last.member.resign(0);
    await members.leader(last.acquired.atNs);
    const terms = termRecordsOf(members.events()).length;
    assert(terms >= 5, `only ${terms} terms are in the logs`);
    assertNoViolations(members.events());
  },
});

/** The reports of all members, killed ones included, do not contradict each other. */
function assertNoViolations(events: readonly MemberEvent[]): void {
  const [first] = violationsOf(termRecordsOf(events));
  if (first) throw new Unsafe(first.message);
}

/** Fail-over after SIGKILL. */
export const successionAfterKill: Check = defineCheck({
  id: 'succession-after-kill',
  title:
    'After the process of a leader is killed, another member leads within `guarantees.failoverMsMax`, plus the measured stalls and round trips of at most T/10 each (L5, L9)',
  needs: ['processes'],
  async run(context) {
    const { failoverMsMax } = context.open('asker', { campaign: false }).guarantees;
    const latencyMs = await measureLatency(context);
    const members = await processGroup(context, ['a', 'b', 'c'], idle);
    const { member, acquired } = await members.leader();
    context.stall.take();
    const killedNs = process.hrtime.bigint();
    await member.kill();
    const next = await members.leader(acquired.atNs);
    if (failoverMsMax === 'unbounded') return;
    // The stalls of other processes cannot be measured from here: a quarter of T is for them.
    const boundMs = failoverMsMax + latencyMs + stallAllowance(context) + context.thresholdMs / 4;
    const tookMs = Number(next.acquired.atNs - killedNs) / 1e6;
    if (tookMs > boundMs)
      throw new Inconclusive(
        `fail-over took ${Math.round(tookMs)} ms, promised were ${Math.round(boundMs)}`,
      );
  },
});

/** Leadership state after SIGSTOP or a blocked event loop. */
export const stateAfterStop: Check = defineCheck({
  id: 'state-after-a-stop',
  title:
    'A process that was stopped for longer than T, or whose event loop was blocked, reports in its first statement that it does not lead (H5)',
  needs: ['processes', 'stopped-processes'],
  async run(context) {
    const members = await processGroup(context, ['a', 'b'], idle);
    const stopped = await members.leader();
    stopped.member.pause();
    const next = await members.leader(stopped.acquired.atNs);
    // Where two may lead, the other leads before the belief of the one that was stopped is over.
    const { exclusive } = context.open('asker', { campaign: false }).guarantees;
    if (!exclusive) await watchFor(context.thresholdMs, () => undefined);
    stopped.member.block(1);
    stopped.member.resume();
    const first = await context.logged(stopped.member, ({ kind }) => kind === 'first-statement');
    assert(
      first.detail === 'false',
      'a process that had been stopped for longer than T said that it leads',
    );
    await context.logged(
      stopped.member,
      ({ kind, token }) => kind === 'fenced' && token === stopped.acquired.token,
    );
    next.member.block(1.1 * context.thresholdMs);
    const second = await context.logged(next.member, ({ kind }) => kind === 'first-statement');
    assert(
      second.detail === 'false',
      'a process whose loop had been blocked past its deadline said that it leads',
    );
  },
});

/** Close lets the process exit. */
export const closeLetsProcessEnd: Check = defineCheck({
  id: 'close-lets-the-process-end',
  title: 'After `close`, the source does not keep the process alive, whether or not the member led',
  needs: ['processes'],
  async run(context) {
    const members = await processGroup(context, ['a', 'b'], idle);
    const leader = await members.leader();
    await context.settled('the process of a leader ends by itself', leader.member.close());
    const next = await members.leader(leader.acquired.atNs);
    if (context.open('asker', { campaign: false }).guarantees.exclusive)
      assertNoViolations(members.events());
    await context.settled('the process of its successor ends by itself', next.member.close());
  },
});

/** Close while the source starts. */
export const closeAtEveryMoment: Check = defineCheck({
  id: 'close-at-every-moment',
  title:
    'A source that is closed at any moment of its start leaves no timer, socket or other handle open, and its process ends by itself',
  needs: ['processes'],
  async run(context) {
    const member = await context.spawn('a', { kind: 'close' });
    await context.settled('the process that closed its sources ends by itself', member.close());
    const left = member.events.filter(({ kind }) => kind === 'left');
    const [first] = left.map(({ detail = '' }) => detail);
    assert(left.length === 0, `closed sources left open, at ${left.length} moments: ${first}`);
  },
});
