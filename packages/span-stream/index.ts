import type { JetStreamOptions } from './jetstream.ts'
import type { SpanStream } from './span-stream.ts'

export { Refusal } from './admission.ts'
export { openEmbeddedStream } from './embedded.ts'
export type { JetStreamOptions } from './jetstream.ts'
export * from './partition.ts'
export * from './span-stream.ts'

/**
 * As `openJetStream` of its module, which is loaded by the first call: an embedded process does without the client of
 * NATS.
 */
export const openJetStream = async (options: JetStreamOptions): Promise<SpanStream> =>
  (await import('./jetstream.ts')).openJetStream(options)
