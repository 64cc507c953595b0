// Signatures of the messages between members, by HMAC.
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** SHA-256. */
export const signatureBytes = 32;

/** Signs data and verifies its own signatures. */
export interface Seal {
  sign(...parts: readonly Uint8Array[]): Buffer;
  /** Whether that is the signature of these parts. Compares in constant time. */
  isOf(signature: Uint8Array, ...parts: readonly Uint8Array[]): boolean;
  /** Whether the other seal has the same secret. */
  isSame(other: Seal): boolean;
  /** Derives a seal for one purpose from this one and the parts. */
  derive(purpose: string, ...parts: readonly Uint8Array[]): Seal;
}

/** Returns the seal of a secret. */
export function sealOf(secret: string | Uint8Array): Seal {
  return sealWith(createSecretKey(Buffer.from(secret)));
}

/** Signed to compare secrets, and never sent: no frame begins with these bytes. */
const probe: Buffer = Buffer.from('the same secret\0');

function sealWith(key: KeyObject): Seal {
  const sign = (...parts: readonly Uint8Array[]): Buffer => {
    const hmac = createHmac('sha256', key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  };
  return {
    sign,
    isOf: (signature, ...parts) =>
      signature.length === signatureBytes && timingSafeEqual(signature, sign(...parts)),
    isSame: (other) => other.isOf(sign(probe), probe),
    derive: (purpose, ...parts) =>
      sealWith(createSecretKey(sign(Buffer.from(`${purpose}\0`), ...parts))),
  };
}
