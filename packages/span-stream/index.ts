export * from './span-stream.ts'
