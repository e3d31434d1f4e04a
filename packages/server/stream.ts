import { availableParallelism } from 'node:os'
import { join } from 'node:path'
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

export const networkedPartitions = (streamPartitions: Config['streamPartitions']): number =>
  streamPartitions ?? STREAM_PARTITIONS.networked

/** How long a writer that is paused keeps fetched messages from others. */
const ACK_WAIT_MS = 10_000

export const openStream = (
  { natsUrl, dataDir, streamBytesMax, streamPartitions }: Config,
  log: Logger,
): Promise<SpanStream> =>
  natsUrl
    ? openJetStream({
        url: natsUrl,
        partitions: networkedPartitions(streamPartitions),
        ackWaitMs: ACK_WAIT_MS,
        bytesMax: streamBytesMax ?? STREAM_BYTES_MAX.networked,
        onRecreated: () => log.error(STREAM_LOST),
      })
    : openEmbeddedStream({
        path: join(dataDir, 'stream'),
        partitions: STREAM_PARTITIONS.embedded,
        bytesMax: streamBytesMax ?? STREAM_BYTES_MAX.embedded,
      })

const STREAM_LOST =
  'NATS lost the span stream, and it was created again: accepted spans that were not yet stored are lost'

/**
 * How many threads of a process write. Networked, processes share the work; embedded there is only this one, and each
 * of its threads has its own partitions.
 */
export const writerThreads = ({ natsUrl }: Config): number =>
  natsUrl ? 1 : Math.min(STREAM_PARTITIONS.embedded, availableParallelism())
