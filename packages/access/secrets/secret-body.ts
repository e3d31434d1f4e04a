import { isJsonObject, isRawJson, type JsonObject } from '@spanhouse/model'
import { type OutboundRules, outboundUrl } from '@spanhouse/outbound'
import { list, optional, slug, storedObject, z } from '@spanhouse/validation'
import { description, name } from '../organizations/names.ts'
import { CUSTOM_ALIASES, CUSTOM_KINDS, STANDARD_ALIASES, STANDARD_KINDS } from './providers.ts'

const MODELS_MAX = 1000
const MEMBERS_MAX = 200
/** The private key of a cloud account has a few kilobytes. */
const TEXT_LENGTH_MAX = 64 * 1024

const secretText = z.string().max(TEXT_LENGTH_MAX)
const keyText = secretText.min(1)
const model = z.object({ slug: z.string().min(1).max(255), extras: optional(storedObject) })
const models = list(model, { max: MODELS_MAX })
const harnesses = list(z.string().max(255), { max: MODELS_MAX })

/** One of the kinds, or an older spelling of one. */
const kindOf = <K extends string>(kinds: readonly K[], aliases: Record<string, K>) =>
  z
    .string()
    .transform(text => aliases[text] ?? text)
    .pipe(z.enum(kinds as readonly [K, ...K[]]))

/** A provider's key, and the address of a gateway in front of the provider, if there is one. */
const providerKey = (rules: OutboundRules) =>
  z.object({
    kind: kindOf(STANDARD_KINDS, STANDARD_ALIASES),
    provider: z.object({ key: keyText, url: optional(outboundUrl(rules)) }),
    models: optional(models),
    harnesses: optional(harnesses),
  })

/** The credentials of a provider with an address of its own. Which members are needed depends on the provider. */
const ownProvider = (rules: OutboundRules) =>
  z.object({
    url: optional(outboundUrl(rules)),
    version: optional(z.string()),
    key: optional(secretText),
    extras: optional(storedObject),
  })

const customProvider = (rules: OutboundRules) =>
  z.object({
    kind: kindOf(CUSTOM_KINDS, CUSTOM_ALIASES),
    provider: ownProvider(rules),
    models,
    harnesses: optional(harnesses),
  })

const ssoProvider = z.object({
  provider: z.object({
    client_id: z.string(),
    client_secret: keyText,
    issuer_url: z.string(),
    scopes: list(z.string(), { max: MEMBERS_MAX }),
    extra: optional(storedObject),
  }),
})

const webhookProvider = z.object({ provider: z.object({ key: keyText }) })

const isFlat = (value: unknown): value is JsonObject =>
  isJsonObject(value) &&
  Object.keys(value).length <= MEMBERS_MAX &&
  Object.values(value).every(member => member === null || typeof member !== 'object' || isRawJson(member))

const customSecret = z.object({
  secret: z.discriminatedUnion('format', [
    z.object({ format: z.literal('text'), content: secretText }),
    z.object({
      format: z.literal('json'),
      content: z
        .custom<JsonObject>(isFlat, 'Value error, must be an object of plain values')
        .meta({ type: 'object', additionalProperties: true }),
    }),
  ]),
})

/** The kinds of secrets; `data` is encrypted. */
const kinds = <C extends z.ZodType>(rules: OutboundRules, custom: C) =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('provider_key'), data: providerKey(rules) }),
    z.object({ kind: z.literal('custom_provider'), data: custom }),
    z.object({ kind: z.literal('sso_provider'), data: ssoProvider }),
    z.object({ kind: z.literal('webhook_provider'), data: webhookProvider }),
    z.object({ kind: z.literal('custom_secret'), data: customSecret }),
  ])

const secret = (rules: OutboundRules) => kinds(rules, customProvider(rules))
/** An edit may omit the models, which keeps the stored ones. */
const changedSecret = (rules: OutboundRules) => kinds(rules, customProvider(rules).extend({ models: optional(models) }))

export type SecretBody = z.output<ReturnType<typeof secret>>
export type ChangedSecretBody = z.output<ReturnType<typeof changedSecret>>
export type SecretKind = SecretBody['kind']

const header = z.object({ name: optional(name), description })

/** `POST /secrets`. */
export const createSecretBody = (rules: OutboundRules) =>
  z.object({ slug: optional(slug), header, secret: secret(rules) }).superRefine(({ header, secret }, context) => {
    // A provider key is named after its provider; other kinds have no default name.
    if (secret.kind === 'provider_key' || header.name?.trim()) return
    context.addIssue({
      code: 'custom',
      path: ['header', 'name'],
      params: { type: 'missing' },
      message: 'Field required',
    })
  })
export type CreateSecretBody = z.output<ReturnType<typeof createSecretBody>>

/** `PUT /secrets/{id}`. */
export const editSecretBody = (rules: OutboundRules) =>
  z.object({ header: optional(header), secret: optional(changedSecret(rules)) })
export type EditSecretBody = z.output<ReturnType<typeof editSecretBody>>

/** `POST /providers/probe`: credentials as in a secret, which are not stored. */
export const probeBody = (rules: OutboundRules) =>
  z.object({ kind: kindOf(CUSTOM_KINDS, CUSTOM_ALIASES), provider: ownProvider(rules) })
export type ProbeBody = z.output<ReturnType<typeof probeBody>>
