import { expect, test } from 'vitest'
import { RoutingError } from './model-error.ts'
import { type ModelSecret, type ProviderRoute, route } from './route.ts'

const key = (kind: string, more: Partial<ModelSecret['data']> = {}, slug = `${kind}-key`): ModelSecret => ({
  slug,
  kind: 'provider_key',
  data: { kind, provider: { key: `sk-${slug}` }, ...more },
})
const custom = (
  name: string,
  kind: string,
  provider: ModelSecret['data']['provider'],
  slugs: string[],
): ModelSecret => ({
  slug: `${name.toLowerCase()}-slug`,
  kind: 'custom_provider',
  data: { kind, provider, models: slugs.map(slug => ({ slug })), provider_slug: name },
})

const LAB = custom('Lab', 'custom', { url: 'https://llm.example.org/v1', extras: { api_key: 'k-123' } }, ['qwen-large'])
const OPEN = custom('Open', 'custom', { url: 'http://127.0.0.1:9/v1' }, ['llama/tiny'])
const DEPLOYED = custom('Work', 'azure', { url: 'https://a.example', key: 'k-a', version: '2024-10-21' }, ['gpt-4o'])
const AWS = custom('Aws', 'bedrock', { extras: { aws_access_key_id: 'a', aws_secret_access_key: 's' } }, ['nova'])
const OPENAI = key('openai')
const ANTHROPIC = key('anthropic')
const GROQ = key('groq')
const OPENROUTER = key('openrouter')

test.each<[string, string | undefined, ModelSecret[], Partial<ProviderRoute>]>([
  // Listed models.
  ['gpt-4o-mini', undefined, [ANTHROPIC, OPENAI], { provider: 'openai', model: 'gpt-4o-mini', key: 'sk-openai-key' }],
  ['anthropic/claude-sonnet-5', undefined, [OPENAI, ANTHROPIC], { provider: 'anthropic', model: 'claude-sonnet-5' }],
  ['groq/openai/gpt-oss-120b', undefined, [OPENAI, GROQ], { provider: 'groq', model: 'openai/gpt-oss-120b' }],
  ['perplexity/sonar', undefined, [key('perplexityai')], { provider: 'perplexityai', model: 'sonar' }],
  // Names that point to a family.
  ['openai/gpt-4o-mini', undefined, [ANTHROPIC, OPENAI], { provider: 'openai', model: 'gpt-4o-mini' }],
  ['claude-sonnet-5', undefined, [OPENAI, ANTHROPIC], { provider: 'anthropic', model: 'claude-sonnet-5' }],
  ['gpt-4o-2024-08-06', undefined, [ANTHROPIC, OPENAI], { provider: 'openai', model: 'gpt-4o-2024-08-06' }],
  ['o7-mini', undefined, [ANTHROPIC, OPENAI], { provider: 'openai' }],
  ['text-embedding-3-small', undefined, [ANTHROPIC, OPENAI], { provider: 'openai' }],
  ['google/gemini-9', undefined, [OPENAI, key('gemini')], { provider: 'gemini', model: 'gemini-9' }],
  ['mistralai/codestral-9', undefined, [OPENAI, key('mistral')], { provider: 'mistral', model: 'codestral-9' }],
  ['together/x/y', undefined, [OPENAI, key('together_ai')], { provider: 'together_ai', model: 'x/y' }],
  ['openrouter/openai/gpt-9', undefined, [OPENAI, OPENROUTER], { provider: 'openrouter', model: 'openai/gpt-9' }],
  // The only key there is.
  ['some-model', undefined, [OPENAI], { provider: 'openai', model: 'some-model' }],
  ['meta-llama/llama-9', undefined, [OPENROUTER], { provider: 'openrouter', model: 'meta-llama/llama-9' }],
  // One family, several keys.
  ['gpt-5', undefined, [key('openai', { models: [] }, 'a'), key('openai', {}, 'b')], { key: 'sk-b' }],
  ['gpt-5', undefined, [key('openai', {}, 'a'), key('openai', { models: [{ slug: 'gpt-5' }] }, 'b')], { key: 'sk-b' }],
  [
    'openai/gpt-5',
    undefined,
    [key('openai', {}, 'a'), key('openai', { models: [{ slug: 'gpt-5' }] }, 'b')],
    { key: 'sk-b' },
  ],
  ['gpt-5', undefined, [key('openai', { models: [] }, 'a'), key('openai', { models: [] }, 'b')], { key: 'sk-a' }],
  // Custom providers.
  [
    'Lab/custom/qwen-large',
    undefined,
    [OPENAI, LAB],
    { provider: 'custom', model: 'qwen-large', key: 'k-123', url: 'https://llm.example.org/v1' },
  ],
  ['qwen-large', undefined, [OPENAI, LAB], { provider: 'custom', model: 'qwen-large' }],
  ['Open/custom/llama/tiny', undefined, [OPEN], { model: 'llama/tiny', key: '' }],
  ['azure/gpt-4o', undefined, [OPENAI, DEPLOYED], { provider: 'azure', model: 'gpt-4o', version: '2024-10-21' }],
  ['gpt-4o', undefined, [DEPLOYED, OPENAI], { provider: 'openai' }],
  ['gpt-4o', undefined, [DEPLOYED], { provider: 'azure' }],
  [
    'Aws/bedrock/nova',
    undefined,
    [AWS],
    { provider: 'bedrock', model: 'nova', key: '', extras: AWS.data.provider.extras ?? {} },
  ],
  // Connections.
  ['gpt-4o', 'work-slug', [OPENAI, DEPLOYED], { provider: 'azure' }],
  ['unheard-of', 'openai-key', [ANTHROPIC, OPENAI], { provider: 'openai', model: 'unheard-of' }],
  ['anthropic/claude-9', 'openrouter-key', [OPENROUTER], { provider: 'openrouter', model: 'anthropic/claude-9' }],
  ['gpt-5', 'openai', [key('openai', {}, 'a')], { key: 'sk-a' }],
  ['Lab/custom/qwen-large', 'Lab', [OPENAI, LAB], { provider: 'custom', model: 'qwen-large' }],
])('%s with the connection %s', (model, connection, secrets, expected) => {
  expect(route(model, connection, secrets)).toMatchObject({ ...expected, requested: model })
})

test.each<[string, string | undefined, ModelSecret[], string]>([
  ['gpt-4o-mini', undefined, [], 'invalid-secrets'],
  ['gpt-4o-mini', undefined, [ANTHROPIC], 'invalid-secrets'],
  ['claude-9', undefined, [OPENAI], 'invalid-secrets'],
  ['some-model', undefined, [OPENAI, ANTHROPIC], 'invalid-secrets'],
  ['some-model', undefined, [LAB], 'invalid-secrets'],
  ['Lab/custom/other', 'lab-slug', [LAB], 'invalid-secrets'],
  ['nova', undefined, [custom('Aws', 'bedrock', { extras: {} }, ['nova'])], 'invalid-secrets'],
  ['gpt-4o', 'nobody', [OPENAI], 'unknown-connection'],
  ['gpt-4o', 'anthropic-key', [OPENAI, ANTHROPIC], 'connection-model-mismatch'],
  ['anthropic/claude-sonnet-5', 'openrouter-key', [OPENROUTER], 'connection-model-mismatch'],
])('%s with the connection %s cannot be called', (model, connection, secrets, fragment) => {
  const call = () => route(model, connection, secrets)
  expect(call).toThrow(RoutingError)
  expect(call).toThrow(expect.objectContaining({ type: `v0:schemas:${fragment}` }))
  if (fragment === 'invalid-secrets') expect(call).toThrow(`No API key found for model '${model}'`)
})

test('the address of a key, and the options that it sets for a model', () => {
  const provider = { key: 'k', url: 'https://gateway.example/v1' }
  const secret = key('openai', { provider, models: [{ slug: 'gpt-5', extras: { seed: 7 } }] })
  expect(route('gpt-5', null, [secret])).toMatchObject({ url: 'https://gateway.example/v1', options: { seed: 7 } })
  expect(route('gpt-4.1', null, [secret])).toMatchObject({ url: 'https://gateway.example/v1', options: {} })
})
