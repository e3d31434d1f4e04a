import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts text with AES-256-GCM under a key derived (HKDF-SHA256) from the secret and the purpose. Text sealed for one
 * purpose cannot be opened for another.
 */
export function seal(text: string, secret: string, purpose: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyFor(secret, purpose), iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64')
}

/** The original text, or null if it was sealed with another secret or for another purpose, or has been changed. */
export function unseal(sealed: string, secret: string, purpose: string): string | null {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < IV_BYTES + TAG_BYTES) return null
  const decipher = createDecipheriv('aes-256-gcm', keyFor(secret, purpose), bytes.subarray(0, IV_BYTES))
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  const parts = [decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES))]
  try {
    parts.push(decipher.final())
  } catch {
    return null
  }
  return Buffer.concat(parts).toString('utf8')
}

const keyFor = (secret: string, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
