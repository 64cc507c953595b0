// The buttons of a member: what each does, and why it cannot be pressed now.
import type { Control } from '@leadership/dashboard/internal';
import type { WebState } from './web-state.ts';

/** A button, and what it does. */
export interface DemoControl extends Control {
  readonly act: () => void;
}

/** Returns the buttons of a member. Their places never change, so that a hand finds them again. */
export function controlsOf(name: string, state: WebState): readonly DemoControl[] {
  const fate = state.fates.get(name);
  const isThere = fate === 'killed' ? { refusal: 'its process has been killed' } : {};
  const first =
    fate === 'killed'
      ? { name: 'start', act: () => start(name, state) }
      : { name: 'kill', act: () => kill(name, state) };
  return [
    first,
    { ...stopControl(name, state), ...isThere },
    { ...cutControl(name, state), ...isThere },
    {
      name: 'hand over',
      ...(state.history.leader !== name && { refusal: 'it does not lead' }),
      ...(fate === 'stopped' && { refusal: 'its process is stopped' }),
      act() {
        state.did(name, fate ?? 'running', 'hands over, once its command has ended');
        state.members.process(name).resign();
      },
    },
  ];
}

/** Starts a member, also one that was killed, under the same name. */
export function start(name: string, state: WebState): void {
  state.did(name, 'starting', 'starts');
  state.members.start(name);
}

function kill(name: string, state: WebState): void {
  state.members.process(name).kill();
  state.did(name, 'killed', 'was killed (SIGKILL)');
}

function stopControl(name: string, state: WebState): DemoControl {
  const isStopped = state.fates.get(name) === 'stopped';
  return {
    name: isStopped ? 'continue' : 'stop',
    act() {
      state.members.process(name).signal(isStopped ? 'SIGCONT' : 'SIGSTOP');
      if (isStopped) state.did(name, 'running', 'continues (SIGCONT)');
      else state.did(name, 'stopped', 'was stopped (SIGSTOP)');
    },
  };
}

function cutControl(name: string, state: WebState): DemoControl {
  const fate = state.fates.get(name);
  const isCut = fate === 'cut off';
  const { noCut } = state.group;
  const refusal = noCut ?? (fate === 'stopped' ? 'its process is stopped' : undefined);
  return {
    name: isCut ? 'mend' : 'cut',
    ...(refusal !== undefined && { refusal }),
    act() {
      state.members.process(name).send(isCut ? 'mend' : 'cut');
      if (isCut) state.did(name, 'running', 'is connected again');
      else state.did(name, 'cut off', 'was cut off from the network');
    },
  };
}
