/** What the address of a list of artifacts says: words of their names. */
export interface FindSearch {
  find?: string
}

export const readFindSearch = ({ find }: Record<string, unknown>): FindSearch => ({
  find: typeof find === 'string' && find !== '' ? find : undefined,
})

export interface RegistrySearch extends FindSearch {
  kind?: 'evaluators'
}

export const readRegistrySearch = (given: Record<string, unknown>): RegistrySearch => ({
  ...readFindSearch(given),
  kind: given.kind === 'evaluators' ? 'evaluators' : undefined,
})
