// The form of a relation: actions with guards, and the counts of the guards that held.

/** Returns whether a rule permits an action. */
export type Guard<Situation, Subject> = (situation: Situation, subject: Subject) => boolean;

/** An action: its guards. */
export type Action<Situation, Subject> = readonly {
  /** Its index in {@link Guards.names}. */
  readonly index: number;
  readonly holds: Guard<Situation, Subject>;
}[];

/** The checks so far, for any number of members. */
export interface Checked {
  steps: number;
  /** How often each guard held, in the order of their names. */
  readonly held: number[];
}

/** The step that is checked, and the guards that did not hold in it. */
interface Checking {
  readonly checked: Checked;
  refuted: readonly string[];
}

/** The guards of one relation, in the order of their definition. */
export class Guards<Situation> {
  /** The names of all guards, after the names of their actions. */
  readonly names: string[] = [];

  action<Subject>(
    name: string,
    guards: Readonly<Record<string, Guard<Situation, Subject>>>,
  ): Action<Situation, Subject> {
    return Object.entries(guards).map(([text, holds]) => ({
      index: this.names.push(`${name}: ${text}`) - 1,
      holds,
    }));
  }

  /** Checks an action: counts the guards that hold, and notes those that do not. */
  check<Subject>(
    situation: Situation & Checking,
    action: Action<Situation, Subject>,
    subject: Subject,
  ): void {
    const { held } = situation.checked;
    for (const { index, holds } of action)
      if (holds(situation, subject)) held[index] = (held[index] as number) + 1;
      else situation.refuted = [...situation.refuted, this.names[index] as string];
  }

  /** Returns the counts before the first step. */
  nothingChecked(): Checked {
    return { steps: 0, held: this.names.map(() => 0) };
  }
}

/** Receives each step: the number of checks so far, and the fault of a step that breaks a rule. */
export type Observer = (checked: Checked, refuted: readonly string[]) => void;

/** Returns whether rules are the protocol's, but for those that the text leaves free. */
export function areThose<Rules extends object>(
  rules: Rules,
  protocol: Rules,
  free: readonly (keyof Rules)[],
): boolean {
  const names = Object.keys(protocol) as (keyof Rules)[];
  return names.every((name) => free.includes(name) || rules[name] === protocol[name]);
}
