// The order of the files of one project, where it matters: one that starts late and takes minutes would run alone at
// the end of a run, on an idle machine.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, a minute and a half to four, the longest first. */
const longest = [
  'kafka/test/three-brokers.process',
  'kafka/test/conformance.process',
  'cli/test/servers.process',
  'nerio/test/conformance.process',
  'nats/test/fail-over.process',
  'kinesis/test/conformance.process',
  'kafka/test/members.process',
  'postgres/test/conformance.process',
  'cli/test/run.process',
  'kafka/test/rights.process',
  'cli/test/slots.process',
  'mysql/test/conformance.process',
  'scuttlebutt/test/conformance.process',
  'kafka/test/observers.process',
  'kubernetes/test/conformance.process',
].map((name) => `/packages/${name}.test.ts`);

/** Starts the longest files first, and others as Vitest would. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.endsWith(name));
      return index < 0 ? longest.length : index;
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
