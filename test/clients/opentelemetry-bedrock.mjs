import { createRequire } from 'node:module'
import { registerInstrumentations } from '@opentelemetry/instrumentation'
import { AwsInstrumentation } from '@opentelemetry/instrumentation-aws-sdk'
import { save, startTracing } from './recording.mjs'

const provider = startTracing()
registerInstrumentations({ tracerProvider: provider, instrumentations: [new AwsInstrumentation()] })
const { BedrockRuntimeClient } = createRequire(import.meta.url)('@aws-sdk/client-bedrock-runtime')
const { askBedrock } = await import('./bedrock.mjs')
await askBedrock(BedrockRuntimeClient)
await save('opentelemetry-bedrock')
