import { rounded } from '../measured.ts'
/** What one span costs, as measured. CPU includes the merges that follow, in microseconds. */
export interface SpanCosts {
  cpuMicros: Record<Part, number>
  streamBytes: number
  diskBytes: number
}

/** The parts that every span passes. */
export const PARTS = ['receiver', 'nats', 'writer', 'clickhouse', 'postgres'] as const
export type Part = (typeof PARTS)[number]

/** How an installation is planned from the measured costs. */
export const ASSUMPTIONS = {
  /** The rest is for peaks, reads and the loss of a machine. */
  cpuShare: 0.5,
  /** Servers that hold each byte: three of NATS in a quorum, two of ClickHouse. */
  copies: { receiver: 1, nats: 3, writer: 1, clickhouse: 2, postgres: 1 } satisfies Record<Part, number>,
  /** Cores of one process or server; a receiver and a writer have one busy thread and helpers. */
  coresEach: { receiver: 2, nats: 4, writer: 2, clickhouse: 16, postgres: 2 } satisfies Record<Part, number>,
  /** Of each part, so that one may be lost. */
  processesMin: { receiver: 2, nats: 3, writer: 2, clickhouse: 2, postgres: 2 } satisfies Record<Part, number>,
  /** How long ClickHouse may be down before exports are refused. */
  outageHours: 1,
  /** How long spans are kept on fast disks. */
  keptDays: 30,
} as const

/** USD a month, general-purpose machines of a large provider on demand, rounded, November 2026. */
export const PRICES = { core: 36, memoryIncluded: '4 GiB a core', diskGigabyte: 0.08, streamGigabyte: 0.08 } as const

export interface Plan {
  spansPerSecond: number
  /** Cores that the load itself uses, and the processes to run. */
  parts: Record<Part, { busyCores: number; processes: number }>
  shards: number
  streamGigabytes: number
  diskTerabytes: number
  dollarsPerMonth: number
  dollarsPerMillionSpans: number
}

const SECONDS_PER_MONTH = 30 * 86_400

/** The smallest installation that carries this rate under {@link ASSUMPTIONS}. */
export function planFor(costs: SpanCosts, spansPerSecond: number): Plan {
  const parts = Object.fromEntries(PARTS.map(part => [part, sizeOf(part, costs, spansPerSecond)])) as Plan['parts']
  const { copies, coresEach, outageHours, keptDays } = ASSUMPTIONS
  const cores = PARTS.reduce((sum, part) => sum + parts[part].processes * coresEach[part], 0)
  const streamGigabytes = (spansPerSecond * outageHours * 3600 * costs.streamBytes * copies.nats) / 1e9
  const diskGigabytes = (spansPerSecond * keptDays * 86_400 * costs.diskBytes * copies.clickhouse) / 1e9
  const { core, diskGigabyte, streamGigabyte } = PRICES
  const dollarsPerMonth = cores * core + streamGigabytes * streamGigabyte + diskGigabytes * diskGigabyte
  return {
    spansPerSecond,
    parts,
    shards: parts.clickhouse.processes / copies.clickhouse,
    streamGigabytes: Math.ceil(streamGigabytes),
    diskTerabytes: rounded(diskGigabytes / 1000),
    dollarsPerMonth: Math.round(dollarsPerMonth),
    dollarsPerMillionSpans: rounded(dollarsPerMonth / ((spansPerSecond * SECONDS_PER_MONTH) / 1e6), 4),
  }
}

/** Each copy does the work again; the processes are a multiple of the copies. */
function sizeOf(
  part: Part,
  { cpuMicros }: SpanCosts,
  spansPerSecond: number,
): { busyCores: number; processes: number } {
  const { cpuShare, copies, coresEach, processesMin } = ASSUMPTIONS
  const busyCores = (spansPerSecond * cpuMicros[part]) / 1e6
  const perCopy = Math.ceil(busyCores / (coresEach[part] * cpuShare))
  return {
    busyCores: rounded(busyCores * copies[part], 1),
    processes: Math.max(processesMin[part], perCopy * copies[part]),
  }
}

/** The rate that this many dedicated cores carry: the prediction for a saturated run. */
export const spansPerSecondOf = (cores: number, microsPerSpan: number): number =>
  Math.round((cores * 1e6) / microsPerSpan)
