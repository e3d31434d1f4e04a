import { randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { limitBytes } from './body.ts'

const bytesMax = 4 * 2 ** 30

/** A folder of request bodies on their way into the engine, each kept for the length of its request. */
export class Spool {
  #folder: string

  /** Empties the folder: what a killed process left there belongs to requests that were never answered. */
  constructor(folder: string) {
    this.#folder = folder
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
  }

  /** Writes the chunks to a new file and returns its path. Nothing is left behind when they end in an error. */
  async store(chunks: AsyncIterable<Uint8Array>): Promise<string> {
    const path = join(this.#folder, randomUUID())
    try {
      await pipeline(Readable.from(limitBytes(chunks, bytesMax)), createWriteStream(path))
      return path
    } catch (error) {
      await this.remove(path)
      throw error
    }
  }

  /** Removes a file that {@link Spool.store} returned. */
  async remove(path: string): Promise<void> {
    await rm(path, { force: true })
  }
}
