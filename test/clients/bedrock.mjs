import { BedrockRuntimeClient, ConverseCommand, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { failing, inRequest, MISSING_MODEL, MODELS, QUESTION, WEATHER } from './recording.mjs'

const CLAUDE = 'anthropic.claude-3-5-haiku-20241022-v1:0'
const { name, description, parameters } = WEATHER.function
const toolConfig = { tools: [{ toolSpec: { name, description, inputSchema: { json: parameters } } }] }
const image = { image: { format: 'png', source: { bytes: new Uint8Array([137, 80, 78, 71]) } } }
const question = { role: 'user', content: [{ text: QUESTION }, image] }
const answered = [
  question,
  { role: 'assistant', content: [{ toolUse: { toolUseId: 'tooluse_1', name, input: { city: 'Bari' } } }] },
  { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_1', content: [{ json: { sunny: true } }] } }] },
]

/** Calls models of Amazon Bedrock with a client that is instrumented. */
export async function askBedrock(Client = BedrockRuntimeClient) {
  const client = new Client({
    region: 'eu-south-1',
    endpoint: MODELS,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  })
  const converse = more =>
    client.send(
      new ConverseCommand({ modelId: CLAUDE, system: [{ text: 'Be brief.' }], messages: [question], ...more }),
    )
  await inRequest('POST /ask', async () => {
    await converse({ toolConfig })
    await converse({ toolConfig, messages: answered, inferenceConfig: { maxTokens: 100, temperature: 0.2 } })
    const body = JSON.stringify({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 100,
      system: 'Be brief.',
      messages: [{ role: 'user', content: QUESTION }],
    })
    await client.send(new InvokeModelCommand({ modelId: CLAUDE, contentType: 'application/json', body }))
    await failing(() => converse({ modelId: MISSING_MODEL }))
  })
}
