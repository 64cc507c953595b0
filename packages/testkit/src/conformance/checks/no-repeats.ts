import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { insist } from '../insist.ts';
import { recorded } from '../recorded.ts';
import { said } from '../said.ts';
import { streamsOf } from '../streams-of.ts';

/** Stream law: no repeats. */
export const streamNeverRepeats: Check = defineCheck({
  promise: 'stream-never-repeats',
  claim: 'No stream tells the same value twice in a row, whoever else subscribes and however often leadership is renewed (stream law)',
  async run(trial) {
    const source = trial.open('a', { partitions: 2 });
    const heard = [...streamsOf(source)].map(([name, stream$]) => ({ name, log: recorded(stream$) }));
    const subscribeMore = (): void => {
      for (const stream$ of streamsOf(source).values()) recorded(stream$)[Symbol.dispose]();
    };
    const first = await trial.leader([source]);
    subscribeMore();
    const leftMs = first.role.remainingMs();
    await trial.until('leadership is renewed', () => first.role.remainingMs() > leftMs || !first.role.isLeading());
    subscribeMore();
    await trial.settled('a resigns', first.role.resign());
    subscribeMore();
    await trial.until('a leads once more', () => first.role.isLeading());
    subscribeMore();
    await trial.settled('a closes', source.close());
    for (const { name, log } of heard) {
      const texts = log.values.map(said);
      const again = texts.findIndex((text, index) => index > 0 && text === texts[index - 1]);
      insist(again < 0, () => `${name} said ${texts[again]} twice in a row`);
    }
  },
});
