import { createHmac } from 'node:crypto'
import { parseJson, unprocessable } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import { seal, unseal } from '../credentials/sealed.ts'

/** How long a repeated request is answered as the first was. */
const REMEMBERED_HOURS = 24

/** A piece of work that is done once, however often it is asked for under the same key. */
export interface IdempotentWork {
  /** The caller's key, and what it was given for: one key may cover several pieces of work. */
  key: string
  part: string
  /** What is asked for; the same key must always ask for the same. */
  request: unknown
  /** Where the key stands in the request, for violations. */
  loc: (string | number)[]
}

/**
 * Remembers answers by idempotency key. An answer holds an API key, so it is stored encrypted, and key and request only
 * as keyed hashes: the database alone gives nothing away.
 */
export class IdempotencyLog {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The answer given before, parsed; null when there is none. Throws 422 when the key came with another request. */
  async recall(db: Database, work: IdempotentWork): Promise<unknown> {
    const row = await db
      .selectFrom('account_requests')
      .select(['request_hash', 'answer'])
      .where('id', '=', this.#id(work))
      .where('created_at', '>', oldest())
      .executeTakeFirst()
    if (row?.answer == null) return null
    if (row.request_hash !== this.#requestHash(work)) {
      const msg = 'Value error, this idempotency key was used for a different request'
      throw unprocessable({ type: 'value_error', loc: work.loc, msg, input: work.key })
    }
    const answer = unseal(row.answer, this.#secret, this.#purpose(work))
    if (answer === null) throw new Error('a remembered answer was changed in the database')
    return parseJson(answer)
  }

  /**
   * Reserves the work for this transaction; of two at once the second waits for the first to end. False when the work
   * was done meanwhile: then `recall` has its answer.
   */
  async claim(trx: Trx, work: IdempotentWork): Promise<boolean> {
    await trx.deleteFrom('account_requests').where('created_at', '<=', oldest()).execute()
    const row = await trx
      .insertInto('account_requests')
      .values({ id: this.#id(work), request_hash: this.#requestHash(work) })
      .onConflict(conflict => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row !== undefined
  }

  async remember(trx: Trx, work: IdempotentWork, answer: unknown): Promise<void> {
    const sealed = seal(JSON.stringify(answer), this.#secret, this.#purpose(work))
    await trx.updateTable('account_requests').set({ answer: sealed }).where('id', '=', this.#id(work)).execute()
  }

  #id({ key, part }: IdempotentWork): string {
    return this.#hash(JSON.stringify(['id', key, part]))
  }

  #requestHash({ request }: IdempotentWork): string {
    return this.#hash(JSON.stringify(['request', request]))
  }

  /** Opening an answer takes the caller's key too. */
  #purpose({ key, part }: IdempotentWork): string {
    return createHmac('sha256', 'answer')
      .update(JSON.stringify([key, part]))
      .digest('hex')
  }

  #hash(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('hex')
  }
}

const oldest = (): string => new Date(Date.now() - REMEMBERED_HOURS * 3_600_000).toISOString()
