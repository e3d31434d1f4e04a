import { createRequire } from 'node:module'
import { BedrockInstrumentation } from '@arizeai/openinference-instrumentation-bedrock'
import { save, startTracing } from './recording.mjs'

startTracing()
const runtime = createRequire(import.meta.url)('@aws-sdk/client-bedrock-runtime')
new BedrockInstrumentation().manuallyInstrument(runtime)
const { askBedrock } = await import('./bedrock.mjs')
await askBedrock(runtime.BedrockRuntimeClient)
await save('openinference-bedrock')
