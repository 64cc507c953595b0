import type { Publication } from '../contract/backend.ts';
import { fittingRoles } from '../engine/presence.ts';

/** Keeps what this member publishes about itself until the backend can take it, and passes changes on. */
export class OwnPublication {
  #roles: readonly string[] = [];
  /** Whether a role did not fit: an application may ask for any number. */
  #isFull = false;
  #trouble: string | undefined;
  #combined: string | undefined;
  #publish: ((publication: Publication) => void) | undefined;

  /** Passes on what it has and what follows. */
  start(publish: (publication: Publication) => void): void {
    this.#publish = publish;
    if ((this.#trouble ?? this.#combined) !== undefined || this.#roles.length > 0) this.#changed();
  }

  /** Notes a role that the application has asked for. A number names a partition, not a role. */
  role(key: string | number): void {
    if (this.#isFull || typeof key === 'number' || this.#roles.includes(key)) return;
    const roles = fittingRoles([...this.#roles, key]);
    this.#isFull = roles.length === this.#roles.length;
    if (this.#isFull) return;
    this.#roles = roles;
    this.#changed();
  }

  /** Sets the code of the first trouble. */
  trouble(code: string | undefined): void {
    if (code === this.#trouble) return;
    this.#trouble = code;
    this.#changed();
  }

  /** The same for the combination that the source belongs to. A trouble of the source itself counts first. */
  combined(code: string | undefined): void {
    if (code === this.#combined) return;
    this.#combined = code;
    if (this.#trouble === undefined) this.#changed();
  }

  #changed(): void {
    const trouble = this.#trouble ?? this.#combined;
    this.#publish?.({ ...(trouble !== undefined && { trouble }), roles: this.#roles });
  }
}
