import { shownAsItIs } from './group-of-five.ts';

// Kubernetes, whose server takes longest to start, has its turn in the soak.
await shownAsItIs('files', 'Postgres');
