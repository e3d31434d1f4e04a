import { queryOptions } from '@tanstack/react-query'
import { secretsQuery } from './settings.ts'

/** The models of the stored providers, by the names that prompts use. */
export const modelsQuery = queryOptions({
  ...secretsQuery,
  select: secrets => {
    const providers = secrets.filter(({ kind }) => kind === 'provider_key' || kind === 'custom_provider')
    return { hasProvider: providers.length > 0, names: providers.flatMap(({ data }) => data.model_keys ?? []) }
  },
})
