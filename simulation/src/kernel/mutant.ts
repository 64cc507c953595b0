/** The description of a mutant, as the command lists it. */
export interface Replacement {
  /** Short description of the defect, in kebab case. */
  readonly name: string;
  /** The rule it breaks. */
  readonly rule: string;
  /** Description of the defect, as a sentence without its subject. */
  readonly does: string;
}

/** A protocol with one rule replaced. */
export interface MutantOf<Departure> extends Replacement {
  /** The scenario that provokes the defect best. */
  readonly scenario: string;
  /** The rule or the counter that exposes the defect. */
  readonly shows: string;
  readonly departure: Departure;
  /**
   * Seeds whose worlds expose the defect within hours, if not every world does. Default: any seed.
   */
  readonly seeds?: readonly number[];
}
