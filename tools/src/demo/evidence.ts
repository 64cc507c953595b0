// What the members' own looks prove. A look says "I lead in this term" of one instant; a reign is what lies between the first
// and the last such instant of a term. Reigns are never longer than the truth, so that two of them that overlap are two leaders.
import type { Look } from './note.ts';

/** A term as its leader saw it. */
export interface Reign {
  readonly member: string;
  readonly token: bigint;
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** Collects looks into reigns, oldest first. */
export class Evidence {
  readonly #reigns = new Map<string, Reign>();
  #looks = 0;

  get looks(): number {
    return this.#looks;
  }

  get reigns(): readonly Reign[] {
    return [...this.#reigns.values()].sort((a, b) => Number(a.fromNs - b.fromNs));
  }

  add(member: string, { token, atNs }: Look): void {
    this.#looks += 1;
    if (token === undefined) return;
    const key = `${member} ${token}`;
    const known = this.#reigns.get(key);
    this.#reigns.set(key, { member, token, fromNs: known?.fromNs ?? atNs, toNs: atNs });
  }
}

/** Where two led at once, or a later term had no greater token (T1): each as a sentence. */
export function contradictions(reigns: readonly Reign[]): readonly string[] {
  return reigns.flatMap((later, index) => reigns.slice(0, index).flatMap((earlier) => contradiction(earlier, later)));
}

function contradiction(earlier: Reign, later: Reign): readonly string[] {
  const overlapNs = earlier.toNs - later.fromNs;
  const pair = `${earlier.member} in term ${earlier.token} and ${later.member} in term ${later.token}`;
  return [
    ...(overlapNs >= 0n ? [`${pair} led at once, for ${(Number(overlapNs) / 1e6).toFixed(1)} ms at least`] : []),
    ...(later.token <= earlier.token ? [`${pair}: the later token is not the greater one`] : []),
  ];
}
