// The checks of a suite as vitest tests.
import { afterAll, beforeAll, describe, test } from 'vitest';

/** A check of a suite that runs on a subject. */
export interface SuiteCheck<Subject> {
  readonly id: string;
  readonly title: string;
  /** Whether no other check may run beside it. */
  readonly alone?: boolean;
  run(subject: Subject): Promise<void>;
}

/** A suite, and what it runs on. */
export interface Suite<Subject, Check> {
  readonly title: string;
  readonly open: () => Subject | Promise<Subject>;
  readonly checks: readonly Check[];
  /** Resolves with why a check cannot run on the subject; `undefined` if it can. */
  readonly skips: (subject: Subject) => Promise<(check: Check) => string | undefined>;
}

/** Defines one test per check. Those that must run alone are last. */
export function suiteTests<Subject extends AsyncDisposable, Check extends SuiteCheck<Subject>>({
  title,
  open,
  checks,
  skips,
}: Suite<Subject, Check>): void {
  describe(title, () => {
    let subject: Subject;
    let reasonOf: (check: Check) => string | undefined;
    beforeAll(async () => {
      subject = await open();
      reasonOf = await skips(subject);
    });
    afterAll(() => subject[Symbol.asyncDispose]());
    for (const check of [...checks].sort((a, b) => Number(isAlone(a)) - Number(isAlone(b)))) {
      const define = isAlone(check) ? test : test.concurrent;
      define(`${check.id}: ${check.title}`, async ({ skip, task }) => {
        const reason = reasonOf(check);
        // Reporters receive `meta`, but not the note of a skip.
        if (reason !== undefined) Object.assign(task.meta, { skipReason: reason });
        if (reason !== undefined) skip(reason);
        await check.run(subject);
      });
    }
  });
}

function isAlone({ alone = false }: { readonly alone?: boolean }): boolean {
  return alone;
}
