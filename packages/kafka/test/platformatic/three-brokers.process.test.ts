import { testsOnThreeBrokers } from '../support/three-brokers.ts';

await testsOnThreeBrokers('platformatic');
