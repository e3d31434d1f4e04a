import type { Principal, Quota } from '@spanhouse/access'
import { Problem } from '@spanhouse/model'
import { Counter, type Registry } from 'prom-client'

export type QuotaName = keyof Quota

/** What a burst may take at once, in seconds of the rate. */
const BURST_SECONDS = 1
/** Buckets are forgotten when they have filled up and there are more. */
const BUCKETS_MAX = 10_000

const TEXTS: Record<QuotaName, string> = { requests_per_second: 'requests', spans_per_second: 'spans' }

interface Bucket {
  level: number
  atMs: number
  /** Per second. */
  rate: number
}

const fullOf = ({ rate }: Pick<Bucket, 'rate'>): number => rate * BURST_SECONDS

const levelAt = ({ level, atMs, rate }: Bucket, nowMs: number): number =>
  Math.min(fullOf({ rate }), level + ((nowMs - atMs) / 1000) * rate)

/**
 * The quotas of projects and keys, in this process alone. Each is a bucket that fills at its rate. A request is
 * admitted while the bucket is not empty, and may overdraw it: the next ones wait until that is paid back.
 */
export class Quotas {
  readonly #buckets = new Map<string, Bucket>()
  readonly #refused: Counter<'quota'>

  constructor(registry: Registry) {
    this.#refused = new Counter({
      name: 'spanhouse_quota_refused_total',
      help: 'Requests rejected because their project or key had used up its quota.',
      labelNames: ['quota'] as const,
      registers: [registry],
    })
  }

  /** Throws a Problem `too_many_requests` (429) while a quota of the caller is used up. */
  admit(principal: Principal | null, name: QuotaName, nowMs = performance.now()): void {
    for (const { key, rate, whose } of quotasOf(principal, name)) {
      const { level } = this.#bucket(key, rate, nowMs)
      if (level > 0) continue
      this.#refused.inc({ quota: name })
      const retryAfterSeconds = Math.max(1, Math.ceil((1 - level) / rate))
      const detail = `The quota of this ${whose} is ${rate} ${TEXTS[name]} per second; try again later.`
      throw new Problem('too_many_requests', detail, { retryAfterSeconds })
    }
  }

  /** Counts what a request is about to use, before any other is admitted; throws as `admit` does. */
  take(principal: Principal | null, name: QuotaName, amount: number, nowMs = performance.now()): void {
    this.admit(principal, name, nowMs)
    this.#add(principal, name, -amount, nowMs)
  }

  /** What was taken and not used after all. */
  giveBack(principal: Principal | null, name: QuotaName, amount: number, nowMs = performance.now()): void {
    this.#add(principal, name, amount, nowMs)
  }

  #add(principal: Principal | null, name: QuotaName, amount: number, nowMs: number): void {
    for (const { key, rate } of quotasOf(principal, name)) this.#bucket(key, rate, nowMs).level += amount
  }

  #bucket(key: string, rate: number, nowMs: number): Bucket {
    const known = this.#buckets.get(key)
    const bucket = { level: known ? levelAt({ ...known, rate }, nowMs) : fullOf({ rate }), atMs: nowMs, rate }
    if (!known && this.#buckets.size >= BUCKETS_MAX) this.#forgetOld(nowMs)
    this.#buckets.set(key, bucket)
    return bucket
  }

  #forgetOld(nowMs: number): void {
    for (const [key, bucket] of this.#buckets) if (levelAt(bucket, nowMs) === fullOf(bucket)) this.#buckets.delete(key)
  }
}

function quotasOf(principal: Principal | null, name: QuotaName): { key: string; rate: number; whose: string }[] {
  if (principal?.kind !== 'project') return []
  const { quota, key_quota, project_id, key_prefix } = principal
  const found = [
    { key: `${name} project ${project_id}`, rate: quota?.[name], whose: 'project' },
    { key: `${name} key ${key_prefix}`, rate: key_quota?.[name], whose: 'key' },
  ]
  return found.filter((one): one is typeof one & { rate: number } => one.rate !== undefined)
}
