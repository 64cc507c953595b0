// The buttons of a member: what each does, and why it cannot be pressed now.
import type { Control } from '@leadership/dashboard/internal';
import type { Environment } from '../environment.ts';
import type { Members } from '../members.ts';
import type { WebState } from './web-state.ts';

/** A button, and what it does. */
export interface DemoControl extends Control {
  readonly act: () => void;
}

/** The members and the state that the buttons act on. */
export interface Demo {
  readonly environment: Environment;
  readonly members: Members;
  readonly state: WebState;
}

/** Returns the buttons of a member. Their places never change, so that a hand finds them again. */
export function controlsOf(name: string, demo: Demo): readonly DemoControl[] {
  const { state, members } = demo;
  const { fate } = state.member(name);
  const isThere = fate === 'killed' ? { refusal: 'its process has been killed' } : {};
  const first =
    fate === 'killed'
      ? { name: 'start', act: () => start(name, demo) }
      : { name: 'kill', act: () => kill(name, demo) };
  return [
    first,
    { ...isThere, ...stopControl(name, demo) },
    { ...isThere, ...cutControl(name, demo) },
    {
      name: 'hand over',
      ...(!state.leads(name) && { refusal: 'it does not lead' }),
      ...(fate === 'stopped' && { refusal: 'its process is stopped' }),
      act: () => {
        state.did(name, fate, 'hands over, once its work has drained');
        members.handle(name).send('hand-over');
      },
    },
  ];
}

/** Starts a member that was killed, under the same name. */
export function start(name: string, { state, members }: Demo): void {
  state.did(name, 'starting', 'starts');
  members.start(name);
}

function kill(name: string, { state, members, environment }: Demo): void {
  // In memory, it would stay cut off after a restart.
  if (state.member(name).fate === 'cut off') members.handle(name).send('mend');
  state.did(name, 'killed', `was ${environment.crashed}`);
  members.handle(name).crash();
}

function stopControl(name: string, { state, members }: Demo): DemoControl {
  const isStopped = state.member(name).fate === 'stopped';
  const send = (signal: 'SIGSTOP' | 'SIGCONT'): void => members.handle(name).signal?.(signal);
  const act = (): void => {
    send(isStopped ? 'SIGCONT' : 'SIGSTOP');
    if (isStopped) state.did(name, 'running', 'continues (SIGCONT)');
    else state.did(name, 'stopped', 'was stopped (SIGSTOP)');
  };
  const control = { name: isStopped ? 'continue' : 'stop', act };
  return isRunning(name, members) && members.handle(name).signal === undefined
    ? { ...control, refusal: 'this backend runs its members in the process of the demo' }
    : control;
}

function cutControl(name: string, { state, members, environment: { noCut } }: Demo): DemoControl {
  const { fate } = state.member(name);
  const isCut = fate === 'cut off';
  const control = { name: isCut ? 'mend' : 'cut' };
  if (noCut !== undefined) return { ...control, act: () => undefined, refusal: noCut };
  const act = (): void => {
    members.handle(name).send(isCut ? 'mend' : 'cut');
    if (isCut) state.did(name, 'running', 'is connected again');
    else state.did(name, 'cut off', 'was cut off from the network');
  };
  return fate === 'stopped'
    ? { ...control, act, refusal: 'its process is stopped' }
    : { ...control, act };
}

function isRunning(name: string, members: Members): boolean {
  return members.names.includes(name);
}
