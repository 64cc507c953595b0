// The same tests, with as many processes as they name where SOAK is set.
import './members.process.test.ts';
