/** The names of revisions in events: the plural in an event's type, the singular in its references. */
const DOMAINS = { workflows: 'workflow', testsets: 'testset', queries: 'query', environments: 'environment' } as const

const READS = ['retrieved', 'fetched', 'queried', 'logged'] as const

type Domain = keyof typeof DOMAINS
export type RevisionRead = (typeof READS)[number]

/** The kinds of events that webhooks can ask for (section 5 of the interface). */
export type EventKind =
  | `${Domain}.revisions.${'committed' | RevisionRead}`
  | `${'traces' | 'testcases'}.${'fetched' | 'queried'}`
  | 'webhooks.subscriptions.tested'

export const TESTED: EventKind = 'webhooks.subscriptions.tested'

const domains = Object.keys(DOMAINS) as Domain[]

export const EVENT_KINDS: readonly EventKind[] = [
  ...domains.flatMap(domain => (['committed', ...READS] as const).map(verb => `${domain}.revisions.${verb}` as const)),
  'traces.fetched',
  'traces.queried',
  'testcases.fetched',
  'testcases.queried',
  TESTED,
]

/** The domain whose revisions are called so in references: `workflow` → `workflows`. */
export const domainOf = (singular: (typeof DOMAINS)[Domain]): Domain =>
  domains.find(domain => DOMAINS[domain] === singular) as Domain
