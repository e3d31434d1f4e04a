import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { DEAD_SHARE, DUPLICATE_WINDOW_MS } from '../admission.ts'
import { LANES, type Lane } from '../lanes.ts'
import { CONSUMERS, type ConsumerName } from '../span-stream.ts'

/** Where messages of one kind are stored: whole messages under separate subjects, parts of large ones under one. */
export interface Shelf {
  stream: string
  partsSubject: string
  /** The error for publishers if the stream is full. */
  whenFull: 'full' | 'dead_letters_full'
}

/** The messages of one lane of a partition. */
export interface Queue {
  readonly partition: number
  readonly lane: Lane
}

export const queuesOf = (partitions: readonly number[]): Queue[] =>
  partitions.flatMap(partition => LANES.map(lane => ({ partition, lane })))

/**
 * The names of everything on the server.
 *
 * - Stream `spans`: subjects `spans.N` and `spans.bulk.N` for the lanes of each partition, and `spans.parts`. Durable
 *   consumers `writer-N` and `writer-bulk-N`. A message is removed only by the reader that settled it; the server counts
 *   that as its consumer's acknowledgement.
 * - Stream `spans-dead`: subject `spans-dead.CONSUMER.SEQUENCE-ID` for each dead letter and `spans-dead.parts`.
 */
export class Topology {
  readonly live: Shelf
  readonly dead: Shelf
  readonly lettersSubject: string
  /** The numbers of partitions so far, ascending. */
  readonly #divisions: number[]

  constructor(name: string, divisions: readonly number[]) {
    if (!/^[\w-]{1,64}$/.test(name)) throw new Error(`Invalid stream name: ${JSON.stringify(name)}`)
    this.#divisions = [...divisions]
    this.live = { stream: name, partsSubject: `${name}.parts`, whenFull: 'full' }
    this.dead = { stream: `${name}-dead`, partsSubject: `${name}-dead.parts`, whenFull: 'dead_letters_full' }
    this.lettersSubject = `${name}-dead.*.*`
  }

  get partitions(): number {
    return this.#divisions.at(-1) as number
  }

  /** The same with another number of partitions. */
  with(partitions: number): Topology {
    return new Topology(this.live.stream, [...this.#divisions, partitions])
  }

  grow(partitions: number): void {
    this.#divisions.push(partitions)
  }

  /** As it was with each number of partitions. */
  history(): Topology[] {
    return this.#divisions.map((_, index) => new Topology(this.live.stream, this.#divisions.slice(0, index + 1)))
  }

  subject({ partition, lane }: Queue): string {
    return lane === 'prompt' ? `${this.live.stream}.${partition}` : `${this.live.stream}.${lane}.${partition}`
  }

  /** Unique per message: its position alone may be assigned again after the server was killed. */
  letterSubject(consumer: ConsumerName, sequence: number, id: string): string {
    return `${this.dead.stream}.${consumer}.${sequence}-${Buffer.from(id).toString('base64url')}`
  }

  durable(consumer: ConsumerName, { partition, lane }: Queue): string {
    return lane === 'prompt' ? `${consumer}-${partition}` : `${consumer}-${lane}-${partition}`
  }

  /** Of all partitions. */
  queues(): Queue[] {
    return queuesOf(Array.from({ length: this.partitions }, (_, partition) => partition))
  }

  subjects(lanes = LANES): string[] {
    const queues = this.queues().filter(({ lane }) => lanes.includes(lane))
    return queues.map(queue => this.subject(queue))
  }
}

export interface TopologyLimits {
  bytesMax: number
  replicas: number
  ackWaitMs: number
}

/** Maximum unsettled deliveries in a partition, including those waiting for their retry. */
const UNSETTLED_MAX = 100_000

/** Whatever else would remove messages that are not settled, or hide their parts. */
const KEEPING = {
  discard: DiscardPolicy.New,
  max_age: 0,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  allow_direct: true,
}

/** A stream with a maximum message size of one byte accepts none: headers count. */
const CLOSED = { max_msg_size: 1 }
const OPEN = { max_msg_size: -1 }

/**
 * Creates missing streams and consumers and adapts the limits of existing ones, so that none removes a message that is
 * not settled. Any number of processes may do so at once while others publish: a new stream accepts nothing until its
 * positions are set. They are microseconds since 1970, so that no position of an earlier stream with that name is
 * reused: an outstanding acknowledgement for it would count for another message. Resolves with whether a stream was
 * missing. Rejects if the stream exists with an unknown number of partitions, since traces in progress would change
 * theirs, or with another retention, which the server cannot change.
 */
export async function ensureTopology(
  jsm: JetStreamManager,
  topology: Topology,
  limits: TopologyLimits,
): Promise<boolean> {
  const { live, dead } = topology
  const common = {
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    num_replicas: limits.replicas,
    ...KEEPING,
  }
  const ensured = [
    await ensureStream(
      jsm,
      {
        ...common,
        name: live.stream,
        subjects: [...topology.subjects(LANES), live.partsSubject],
        max_bytes: limits.bytesMax,
        duplicate_window: nanos(DUPLICATE_WINDOW_MS),
      },
      topology
        .history()
        .flatMap(earlier => [['prompt'] as const, LANES].map(lanes => [...earlier.subjects(lanes), live.partsSubject])),
    ),
    await ensureStream(jsm, {
      ...common,
      name: dead.stream,
      subjects: [topology.lettersSubject, dead.partsSubject],
      max_bytes: Math.floor(limits.bytesMax * DEAD_SHARE),
    }),
  ]
  for (const consumer of consumersOf(topology, limits)) await jsm.consumers.add(live.stream, consumer)
  for (const stream of ensured) await adapt(jsm, stream)
  return ensured.some(({ found }) => isClosed(found))
}

/** In the metadata of a stream. */
const INSTALLATION = 'spanhouse-installation'

/**
 * Notes that this installation uses the stream. Resolves with whether another one is noted. The note is at the stream of
 * dead letters: a change writes the whole configuration as it was read before, and that of the live stream may get the
 * subjects of more partitions meanwhile.
 */
export async function noteInstallation(
  jsm: JetStreamManager,
  { dead: { stream } }: Topology,
  installation: string,
): Promise<boolean> {
  const { metadata } = (await jsm.streams.info(stream)).config
  const noted = metadata?.[INSTALLATION]
  if (noted === installation) return false
  await jsm.streams.update(stream, { metadata: { ...metadata, [INSTALLATION]: installation } })
  return noted !== undefined
}

interface Ensured {
  found: StreamConfig
  wanted: StreamSettings
}

type StreamSettings = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>

const listOf = (subjects: readonly string[]): string => subjects.toSorted().join(' ')

/** JetStream's error for a stream that exists with another configuration. */
const STREAM_EXISTS = 10058

/**
 * JetStream's error for a stream whose limit is more than what is left of the server's `max_file_store`. The server
 * looks at that first, and so gives it also for a stream that exists and has its room.
 */
const STORAGE_EXCEEDED = 10047

/** JetStream's error for a stream that does not exist. */
const STREAM_MISSING = 10059

const lackOfSpace = ({ name, max_bytes = 0 }: StreamSettings): string =>
  `JetStream has no room for the stream ${name}, which may take ${Math.ceil(max_bytes / 2 ** 20)} MiB. ` +
  'Raise max_file_store of the NATS server (by default three quarters of its free disk), or lower SPANHOUSE_STREAM_BYTES_MAX'

const codeOf = (error: unknown): number | undefined => (error instanceof JetStreamApiError ? error.code : undefined)

/** The error, or what to do about it if the server has no room for the stream. */
const orLackOfSpace = (error: unknown, stream: StreamSettings): unknown =>
  codeOf(error) === STORAGE_EXCEEDED ? new Error(lackOfSpace(stream), { cause: error }) : error

/**
 * An existing stream keeps its limits and messages; a new one is created closed. `earlierSubjects` are those that it
 * may have had with fewer partitions, or from an earlier version: the others are added.
 */
async function ensureStream(
  jsm: JetStreamManager,
  wanted: StreamSettings,
  earlierSubjects: readonly (readonly string[])[] = [],
): Promise<Ensured> {
  const { config, created } = await jsm.streams.add({ ...wanted, ...CLOSED }).catch(error => {
    if (codeOf(error) !== STREAM_EXISTS && codeOf(error) !== STORAGE_EXCEEDED) throw error
    return jsm.streams.info(wanted.name).catch(missing => {
      throw codeOf(missing) === STREAM_MISSING ? orLackOfSpace(error, wanted) : missing
    })
  })
  const [found, expected, ...earlier] = [config.subjects, wanted.subjects, ...earlierSubjects].map(listOf)
  if (found !== expected && !earlier.includes(found as string)) {
    throw new Error(
      `Stream ${wanted.name} exists with the subjects ${found}, not ${expected}. \`spanhouse cluster partitions\` changes the number of partitions.`,
    )
  }
  if (config.retention !== wanted.retention)
    throw new Error(
      `Stream ${wanted.name} exists with the retention ${config.retention}, not ${wanted.retention}: ` +
        'an earlier version created it. Let writers of that version empty it, then delete it.',
    )
  if (found !== expected) await jsm.streams.update(wanted.name, { subjects: wanted.subjects })
  // Positions before that were never used, even if another process has just opened the stream.
  if (isClosed(config)) await jsm.streams.purge(wanted.name, { seq: Date.parse(created) * 1000 })
  return { found: config, wanted }
}

const isClosed = ({ max_msg_size }: StreamConfig): boolean => max_msg_size === CLOSED.max_msg_size

async function adapt(jsm: JetStreamManager, { found, wanted }: Ensured): Promise<void> {
  const { name, max_bytes, num_replicas } = wanted
  const settings = { ...KEEPING, max_bytes, num_replicas, ...OPEN }
  const isKept = Object.entries(settings).every(([key, value]) => found[key as keyof typeof settings] === value)
  if (isKept) return
  await jsm.streams.update(name, settings).catch(error => {
    throw orLackOfSpace(error, wanted)
  })
}

function consumersOf(topology: Topology, { ackWaitMs }: TopologyLimits): Partial<ConsumerConfig>[] {
  const common = {
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    max_ack_pending: UNSETTLED_MAX,
  }
  return CONSUMERS.flatMap(consumer =>
    topology.queues().map(queue => ({
      ...common,
      durable_name: topology.durable(consumer, queue),
      filter_subject: topology.subject(queue),
    })),
  )
}
