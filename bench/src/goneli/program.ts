// Builds the goNELI member from bench/peers/goneli, with the modules of its go.sum. goNELI 0.4.3 pins
// a Kafka client from 2020 whose fetches Kafka 4 rejects, so no member would ever lead. The module
// therefore requires confluent-kafka-go 1.8.2, the latest 1.x version that works.
import { type GoProgram, goProgram } from '../process/go-program.ts';

/** A remark about the versions and settings of goNELI. */
export const goneliRemark =
  'goNELI is 0.4.3 with confluent-kafka-go raised to 1.8.2, heartbeat.interval.ms a third of the session, other settings at their defaults';

/** Builds the program. */
export function goneliProgram(): Promise<GoProgram> {
  return goProgram('goneli');
}
