import { createHmac } from 'node:crypto'
import { Problem } from '@spanhouse/model'
import { describe, expect, test } from 'vitest'
import {
  importTokenKey,
  mintSecretToken,
  SECRET_TOKEN_SECONDS,
  type SecretClaims,
  verifySecretToken,
} from './secret-token.ts'

const KEY = 'signing-key'
const TOKEN_KEY = importTokenKey(KEY)
const NOW = Date.UTC(2026, 10, 20)
const CLAIMS: SecretClaims = {
  user_id: '019b0d00-0000-7000-8000-000000000001',
  user_email: 'qa@corp.test',
  project_id: '019b0d00-0000-7000-8000-000000000004',
  workspace_id: '019b0d00-0000-7000-8000-000000000003',
  organization_id: '019b0d00-0000-7000-8000-000000000002',
  organization_name: 'Größe',
}
const IDENTITY = { user_id: CLAIMS.user_id, project_id: CLAIMS.project_id }

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (header: object, payload: unknown, key = KEY) => {
  const signed = `${part(header)}.${part(payload)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}
const HS256 = { alg: 'HS256', typ: 'JWT' }
const LATER = NOW / 1000 + 60

async function detailOf(text: string, nowMs = NOW): Promise<unknown> {
  try {
    await verifySecretToken(text, TOKEN_KEY, nowMs)
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return error.detail
    throw error
  }
  return null
}

test('a token carries its claims and expires after 15 minutes', async () => {
  const minted = await mintSecretToken(CLAIMS, TOKEN_KEY, NOW)
  const [header, payload] = minted.split('.').map(text => Buffer.from(text, 'base64url').toString())
  expect(JSON.parse(header as string)).toEqual(HS256)
  expect(JSON.parse(payload as string)).toEqual({ ...CLAIMS, exp: NOW / 1000 + 900 })
  expect(await verifySecretToken(minted, TOKEN_KEY, NOW)).toEqual({ ...IDENTITY, isWorker: true })
  const forCaller = await mintSecretToken({ ...CLAIMS, for_caller: true }, TOKEN_KEY, NOW)
  expect(await verifySecretToken(forCaller, TOKEN_KEY, NOW)).toEqual({ ...IDENTITY, isWorker: false })
  const lastMs = NOW + SECRET_TOKEN_SECONDS * 1000
  expect(await detailOf(minted, lastMs - 1)).toBeNull()
  expect(await detailOf(minted, lastMs)).toEqual({ message: 'Unauthorized', reason: 'expired_signature' })
})

test('the example of RFC 7515, appendix A.1, is genuine and has expired', async () => {
  const key = Buffer.from(
    'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow',
    'base64url',
  )
  const text =
    'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const imported = crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
  await expect(verifySecretToken(text, imported, NOW)).rejects.toMatchObject({
    detail: { message: 'Unauthorized', reason: 'expired_signature' },
  })
})

describe('tokens that are not valid', () => {
  const genuine = token(HS256, { ...CLAIMS, exp: LATER })
  const [header = '', payload = '', signature = ''] = genuine.split('.')
  test.each([
    ['no token', 'x'],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${genuine}.x`],
    ['no signature', `${header}.${payload}.`],
    ['another signature', `${header}.${payload}.${signature.replace(/^./, first => (first === 'A' ? 'B' : 'A'))}`],
    ['another key', token(HS256, { ...CLAIMS, exp: LATER }, 'other')],
    ['another payload', `${header}.${part({ ...CLAIMS, exp: LATER, user_id: CLAIMS.project_id })}.${signature}`],
    ['algorithm none', `${part({ alg: 'none' })}.${payload}.`],
    ['another algorithm', token({ alg: 'HS512' }, { ...CLAIMS, exp: LATER })],
    ['no algorithm', token({}, { ...CLAIMS, exp: LATER })],
    ['no expiry', token(HS256, CLAIMS)],
    ['an expiry that is no number', token(HS256, { ...CLAIMS, exp: '9999999999' })],
    ['one that does not count yet', token(HS256, { ...CLAIMS, exp: LATER, nbf: LATER })],
    ['a header nobody understands', token({ ...HS256, crit: ['x'], x: 1 }, { ...CLAIMS, exp: LATER })],
    ['no user', token(HS256, { exp: LATER, project_id: CLAIMS.project_id })],
    ['a project that is no UUID', token(HS256, { ...CLAIMS, exp: LATER, project_id: 'p' })],
    ['a payload that is no object', token(HS256, [1])],
  ])('%s', async (_name, text) => {
    expect(await detailOf(text)).toEqual({ message: 'Unauthorized', reason: 'invalid_token' })
  })
})
