// The same tests, with the whole proof on Kafka where SOAK is set.
import './servers.process.test.ts';
