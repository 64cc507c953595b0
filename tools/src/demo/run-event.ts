// What a member of the demo says: the lines of `leadership run`, and those of its command.

/** Something that a member of the demo has said, or what its command did. */
export type RunEvent =
  /** It is a member, and waits for the lease. */
  | { readonly kind: 'campaigns'; readonly atNs: bigint }
  /** It leads, and starts the command. */
  | { readonly kind: 'leads'; readonly atNs: bigint; readonly token: bigint }
  /** It was asked to resign, and ends the command. */
  | { readonly kind: 'resigns'; readonly atNs: bigint }
  /** The command has ended: it leads no more. */
  | { readonly kind: 'ended'; readonly atNs: bigint; readonly how: string }
  /** The command did something in its term, by its own reading of the host's monotonic clock. */
  | { readonly kind: 'worked'; readonly atNs: bigint; readonly token: bigint }
  /** Anything else, such as a trouble. */
  | { readonly kind: 'says'; readonly atNs: bigint; readonly text: string };

const patterns: readonly (readonly [RegExp, (atNs: bigint, value: string) => RunEvent])[] = [
  [/^member \S+ campaigns/, (atNs) => ({ kind: 'campaigns', atNs })],
  [
    /^leads role \S+ in term (\d+)/,
    (atNs, token) => ({ kind: 'leads', atNs, token: BigInt(token) }),
  ],
  [/^resigns on request/, (atNs) => ({ kind: 'resigns', atNs })],
  [/^\S+ ((?:exited with|was ended by) .*)/, (atNs, how) => ({ kind: 'ended', atNs, how })],
];

/** Parses a line that `leadership run` wrote to its standard error. */
export function parseRunLine(line: string, atNs: bigint): RunEvent {
  const text = line.replace(/^leadership: /, '');
  for (const [pattern, event] of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return event(atNs, found[1] ?? '');
  }
  return { kind: 'says', atNs, text };
}

/** Parses a line of the command, `examples/src/send-invoices.mjs`. */
export function parseWorkLine(line: string): RunEvent {
  const { token, atNs } = JSON.parse(line) as { readonly token: string; readonly atNs: string };
  return { kind: 'worked', atNs: BigInt(atNs), token: BigInt(token) };
}
