// Lets Node import the sources of this repository: `node --import ./vitest/register.mjs`.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
