import { createHmac } from 'node:crypto'
import { parseJson, unprocessable } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import { seal, unseal } from '../credentials/sealed.ts'

/** How long a repeated request gets the first response again. */
const REMEMBERED_HOURS = 24

/** Work that is done once per key, however often it is requested. */
export interface IdempotentWork {
  /** The caller's key, and the part of the request it applies to: one key may cover several parts. */
  key: string
  part: string
  /** The request; the same key must always come with the same request. */
  request: unknown
  /** The location of the key in the request, for violations. */
  loc: (string | number)[]
}

/**
 * Remembers responses by idempotency key. A response contains an API key, so it is stored encrypted, and key and
 * request are stored only as keyed hashes: the database alone reveals nothing.
 */
export class IdempotencyLog {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /**
   * The earlier response, parsed, or null when there is none. Throws a 422 when the key was used with a different
   * request.
   */
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
   * Reserves the work for this transaction; a concurrent claim of the same work waits for it to end. Returns false when
   * the work has been done in the meantime: `recall` then returns its response.
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

  /** The caller's key is also needed to decrypt a response. */
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
