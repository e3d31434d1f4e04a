import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Uuid } from '@spanhouse/model'
import { openEmbeddedStream, openJetStream, type SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import type { Config } from './config.ts'

/**
 * The stream's limit: beyond it exports get 503 until the writer has caught up. Embedded it is a few seconds of
 * writing, since the file is mapped into memory as far as it was ever read, and ClickHouse is not unavailable for
 * longer.
 */
const STREAM_BYTES_MAX = { embedded: 128 * 1024 ** 2, networked: 8 * 1024 ** 3 }

/** How many writers can share the work: threads of one process, or processes. */
const STREAM_PARTITIONS = { embedded: 2, networked: 8 }

/** Whether the number of partitions can grow while processes run: all of them find it in Postgres. */
export const canGrow = ({ natsUrl, databaseUrl }: Config): boolean => natsUrl !== undefined && databaseUrl !== undefined

/** How long a writer that is paused keeps fetched messages from others. */
const ACK_WAIT_MS = 10_000

/** What processes that share Postgres find there of their stream. */
export interface SharedStream {
  /**
   * The numbers of partitions that the stream has had, the present one last. Default: only the one that it is created
   * with.
   */
  divisions?: readonly number[] | undefined
  /** Distinguishes the stream from that of another installation. */
  installation?: Uuid
}

export const openStream = (
  { natsUrl, dataDir, streamBytesMax, streamPartitions }: Config,
  log: Logger,
  { divisions = [streamPartitions ?? STREAM_PARTITIONS.networked], installation }: SharedStream = {},
): Promise<SpanStream> =>
  natsUrl
    ? openJetStream({
        url: natsUrl,
        partitions: divisions.at(-1) as number,
        earlier: divisions.slice(0, -1),
        ackWaitMs: ACK_WAIT_MS,
        bytesMax: streamBytesMax ?? STREAM_BYTES_MAX.networked,
        onRecreated: () => log.error(STREAM_LOST),
        ...(installation !== undefined && { installation }),
        onForeign: () => log.warn(STREAM_SHARED),
      })
    : openEmbeddedStream({
        path: join(dataDir, 'stream'),
        partitions: STREAM_PARTITIONS.embedded,
        bytesMax: streamBytesMax ?? STREAM_BYTES_MAX.embedded,
      })

const STREAM_LOST =
  'NATS lost the span stream, and it was created again: accepted spans that were not yet stored are lost'

const STREAM_SHARED =
  'the span stream in NATS was last opened by an installation with another database: if that one still runs, each stores ' +
  'spans that the other has accepted; give each a NATS server or account of its own'

/**
 * How many threads of a process write. Networked, processes share the work; embedded there is only this one, and each
 * of its threads has its own partitions.
 */
export const writerThreads = ({ natsUrl }: Config): number =>
  natsUrl ? 1 : Math.min(STREAM_PARTITIONS.embedded, availableParallelism())
