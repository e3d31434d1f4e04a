export { type EmbeddedStreamOptions, openEmbeddedStream } from './embedded.ts'
export { type JetStreamOptions, openJetStream } from './jetstream.ts'
export * from './partition.ts'
export * from './span-stream.ts'
