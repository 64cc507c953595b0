// Notices that other code of the process closed the socket to the guard: then its end no longer
// proves that the process has ended.
import { fstatSync } from 'node:fs';
import type { Server, Socket } from 'node:net';

/** Watches that the descriptor of a socket stays what it was. */
export interface DescriptorWatch {
  /** Returns whether the descriptor is still this socket. */
  isIntact(): boolean;
}

/**
 * Watches the descriptor of an open socket. Node is not notified when other code of the process
 * closes it, or when its number then names another file. Without access to the descriptor it counts
 * as intact.
 */
export function watchDescriptor(socket: Socket | Server): DescriptorWatch {
  const fd = descriptorOf(socket);
  const inode = fd === undefined ? undefined : inodeOf(fd);
  return { isIntact: () => fd === undefined || inode === undefined || inodeOf(fd) === inode };
}

function descriptorOf(socket: Socket | Server): number | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (typeof handle !== 'object' || handle === null) return undefined;
  const fd: unknown = Reflect.get(handle, 'fd');
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
}

function inodeOf(fd: number): bigint | undefined {
  try {
    return fstatSync(fd, { bigint: true }).ino;
  } catch {
    return undefined;
  }
}
