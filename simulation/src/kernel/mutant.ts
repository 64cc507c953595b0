// A mutant replaces one rule of a protocol with a plausible wrong one. If the simulation cannot
// distinguish a mutant from the real protocol, the world or the rule is incomplete.

/** The difference between a mutant and the protocol. */
interface Defect<Overrides> {
  /** Description of the defect, as a sentence without its subject. */
  readonly does: string;
  readonly overrides: Overrides;
  /** The variant of the protocol that the mutant belongs to. Default: all variants. */
  readonly variant?: string;
  /**
   * Seeds whose worlds expose the defect soon, the soonest last: tests of every change try that one
   * first. Default: any seed.
   */
  readonly seeds?: readonly number[];
  /**
   * Length of one world in simulated milliseconds, before the world of the next seed begins.
   * Default: one world for the whole search. Some mutants soon leave the group without a leader,
   * which hides further violations, and therefore need short worlds.
   */
  readonly worldMs?: number;
}

/** A protocol with one rule replaced. */
export interface Mutant<Overrides> extends Defect<Overrides> {
  /** Short description of the defect, in kebab case. */
  readonly name: string;
  /** The rule that it breaks. */
  readonly rule: string;
  /** The scenario that provokes the defect best. */
  readonly scenario: string;
  /** The rule or the counter that exposes the defect. */
  readonly shows: string;
}

/**
 * Defines a mutant that breaks `rule`, and that a violation of `shows` exposes in `scenario`.
 * `NoInfer`: the compiler rejects a rule that the protocol does not have, and thus a mutant that
 * breaks nothing.
 */
export function mutant<Overrides>(
  rule: string,
  name: string,
  scenario: string,
  shows: string,
  defect: Defect<NoInfer<Overrides>>,
): Mutant<Overrides> {
  return { rule, name, scenario, shows, ...defect };
}

/**
 * Returns rules of which some are replaced. The result inherits the others, because rules that were
 * spread are slow to read.
 */
export function overridden<Rules extends object>(
  rules: Rules,
  overrides: Partial<Rules> | undefined,
): Rules {
  return overrides ? Object.assign(Object.create(rules) as Rules, overrides) : rules;
}
