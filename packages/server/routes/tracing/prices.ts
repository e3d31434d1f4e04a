import type { Postgres } from '@spanhouse/postgres'
import { optional, recordOf, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import { type ProjectPrices, pricesOfProjects, setProjectPrices } from '../../projects/prices.ts'

const path = '/projects/current/prices'
const tag = 'projects'

const MODELS_MAX = 500
const USD_MAX = 1_000_000

/** A picodollar per token, the unit in which costs are counted. */
const DECIMALS_MAX = 6

const usd = z
  .number()
  .min(0, 'Input should be greater than or equal to 0')
  .max(USD_MAX, `Input should be less than or equal to ${USD_MAX}`)
  .refine(value => Number(value.toFixed(DECIMALS_MAX)) === value, {
    params: { type: 'decimal_max_places' },
    error: `Decimal input should have no more than ${DECIMALS_MAX} decimal places`,
  })
  .meta({ description: 'USD per million tokens.' })

/** Unknown members are rejected: a misspelt price would make costs wrong. */
const modelPrice = z.strictObject({
  input: usd,
  output: usd,
  cached_input: optional(usd).meta({ description: 'Read from the provider’s cache; as `input` if absent.' }),
  cache_write: optional(usd).meta({ description: 'Written to the provider’s cache; as `input` if absent.' }),
})

const modelName = z
  .string()
  .max(200)
  .regex(/^[^\s*](?:[^*]*[^\s*])?\*?$/, 'Input should be the name of a model, or its start and an asterisk')

const prices = z.object({
  prices: recordOf(modelPrice, { name: modelName, max: MODELS_MAX })
    .superRefine((models, context) => {
      const seen = new Set<string>()
      for (const name of Object.keys(models)) {
        const folded = name.toLowerCase()
        const message = 'The same model is listed twice; names are not case-sensitive'
        if (seen.has(folded)) context.addIssue({ code: 'custom', path: [name], message })
        seen.add(folded)
      }
    })
    .meta({ description: 'By model name, with or without the provider; it may end with `*`.' }),
})

/** The project's own model prices, which override the price list. */
export function priceRoutes(postgres: Pick<Postgres, 'db'>): (app: FastifyInstance) => void {
  return app => {
    addEndpoint(app, {
      method: 'GET',
      path,
      tag,
      permission: 'view_spans',
      share: 'call',
      answer: prices,
      summary: "Returns the project's own model prices.",
      handle: async ({ principal: { project_id } }) => ({
        prices: (await pricesOfProjects(postgres, [project_id])).get(project_id) ?? {},
      }),
    })
    addEndpoint(app, {
      method: 'PUT',
      path,
      tag,
      permission: 'edit_workspace',
      body: prices,
      answer: prices,
      summary: "Replaces the project's own model prices; they apply to spans stored two seconds later or more.",
      handle: async ({ principal, body }) => {
        await setProjectPrices(postgres, principal, body.prices satisfies ProjectPrices)
        return body
      },
    })
  }
}
