import { queryOptions } from '@tanstack/react-query'
import { type Secret, secretsQuery } from '../settings.ts'

/** The models of the stored providers, by the names that prompts use. */
export function modelsIn(secrets: readonly Secret[]): { hasProvider: boolean; names: string[] } {
  const providers = secrets.filter(({ kind }) => kind === 'provider_key' || kind === 'custom_provider')
  return { hasProvider: providers.length > 0, names: providers.flatMap(({ data }) => data.model_keys ?? []) }
}

/** As {@link modelsIn}. */
export const modelsQuery = queryOptions({ ...secretsQuery, select: modelsIn })
