import { findsMutants, two } from './two-members.ts';

findsMutants([
  ['deadline-from-the-reply', two],
  ['no-drift-factor', two],
  ['latest-send', two],
  ['claims-without-waiting', two],
  ['believes-until-released', two],
  ['claims-at-once-after-a-restart', { ...two, begins: 'led', writes: 1, restarts: 1 }],
]);
