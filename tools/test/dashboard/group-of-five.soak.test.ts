import { shownAsItIs } from './group-of-five.ts';

await shownAsItIs('Kubernetes');
