/** The mutants of sessions whose steps the rules permit, and why. */
export const unseen: Readonly<Record<string, string>> = {
  'renews-and-reads-apart': 'the store answers from two copies',
  'trusts-its-first-reading': 'the store does not say that it may have lost changes',
  'position-hides-a-loss': 'the store does not show that it has lost changes',
  'second-place-in-memory': 'the second place does not keep what it acknowledges',
  'second-place-among-the-rows': 'the second place is wiped together with the rows',
  'keeps-a-token-through-a-loss':
    'the token exceeds all that the member has read: only the clock shows that it is an old one',
  'never-sweeps': 'the rules permit the removal of a row, and do not require it: liveness',
  'forgets-to-look': 'no rule requires a claim of what is free: liveness',
  'trusts-a-new-leader': 'the fold of the log does not report a loss',
  'trusts-its-offset': 'the fold of the log reads other records',
  'trusts-a-log-of-that-name': 'the fold of the log reads another log',
  'keeps-what-it-knows': 'the fold of the log shows rows that a copy contradicts',
  'takes-a-part-for-a-copy': 'the fold of the log shows some of the rows',
  'forgets-what-followed-a-copy': 'the fold of the log shows old rows',
  'takes-a-copy-of-other-records': 'the fold of the log shows rows of a wrong copy',
  'takes-an-older-copy': 'the fold of the log shows old rows',
};
