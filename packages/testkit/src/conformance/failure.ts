// The ways in which a check fails. What a starved machine may excuse is kept apart from what nothing does.

/** Two leaders, or a token that does not grow. Nothing excuses it. */
export class Unsafe extends Error {
  override readonly name = 'Unsafe';
}

/** What ought to come did not. Patience is long: nothing excuses it. */
export class WaitedInVain extends Error {
  override readonly name = 'WaitedInVain';

  constructor(what: string, ms: number) {
    super(`waited ${Math.round(ms)} ms in vain: ${what}`);
  }
}

/** Something was disturbed, or took longer, than it ought to. Where no lease could be kept meanwhile that proves nothing. */
export class Disturbed extends Error {
  override readonly name = 'Disturbed';
}
