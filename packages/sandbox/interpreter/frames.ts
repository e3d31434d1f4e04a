import { readSync, writeSync } from 'node:fs'

// Both ends of the pipes write a message as its length in four bytes and then the message.
const LENGTH_BYTES = 4

/** A message as it goes over the pipe. */
export function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(message.length)
  return Buffer.concat([length, message])
}

/** Waits for the next message of a pipe. Undefined at its end. */
export function readFrame(fd: number): Buffer | undefined {
  const length = readBytes(fd, LENGTH_BYTES)
  return length && readBytes(fd, length.readUInt32LE())
}

function readBytes(fd: number, count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(count)
  for (let at = 0; at < count; ) {
    const read = readSync(fd, bytes, at, count - at, null)
    if (read === 0) return undefined
    at += read
  }
  return bytes
}

export function writeFrame(fd: number, message: Buffer): void {
  const bytes = frame(message)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

/** Puts the messages of a stream together from its chunks. */
export class FrameReader {
  readonly #bytesMax: number
  #chunks: Buffer[] = []
  #length = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** The messages that the chunk completes. Throws RangeError when one is announced that is longer than it may be. */
  push(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const messages: Buffer[] = []
    for (let message = this.#take(); message; message = this.#take()) messages.push(message)
    return messages
  }

  #take(): Buffer | undefined {
    if (this.#length < LENGTH_BYTES) return undefined
    const size = LENGTH_BYTES + this.#announced()
    if (size > LENGTH_BYTES + this.#bytesMax) throw new RangeError('message too long')
    if (this.#length < size) return undefined
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(size)]
    this.#length -= size
    return all.subarray(LENGTH_BYTES, size)
  }

  #announced(): number {
    const [first] = this.#chunks
    if (first && first.length < LENGTH_BYTES) this.#chunks = [Buffer.concat(this.#chunks)]
    return (this.#chunks[0] as Buffer).readUInt32LE()
  }
}
