// The same tests, on every backend where SOAK is set.
import './demo.process.test.ts';
