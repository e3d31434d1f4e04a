export { Refusal } from './admission.ts'
export { type EmbeddedStreamOptions, openEmbeddedStream } from './embedded.ts'
export * from './partition.ts'
export * from './span-stream.ts'
