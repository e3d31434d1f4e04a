/** The names of revisions in events: the plural in an event's type, the singular in its references. */
const DOMAINS = { workflows: 'workflow', testsets: 'testset', queries: 'query', environments: 'environment' } as const

const READS = ['retrieved', 'fetched', 'queried', 'logged'] as const

type Domain = keyof typeof DOMAINS
export type RevisionRead = (typeof READS)[number]

export const TESTED = 'webhooks.subscriptions.tested'

const domains = Object.keys(DOMAINS) as Domain[]

/** The kinds of events that webhooks can ask for (section 5 of the interface). To add one, add it here. */
export const EVENT_KINDS = [
  ...domains.flatMap(domain => (['committed', ...READS] as const).map(verb => `${domain}.revisions.${verb}` as const)),
  'traces.fetched',
  'traces.queried',
  'testcases.fetched',
  'testcases.queried',
  TESTED,
] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** The domain whose revisions are called so in references: `workflow` → `workflows`. */
export const domainOf = (singular: (typeof DOMAINS)[Domain]): Domain =>
  domains.find(domain => DOMAINS[domain] === singular) as Domain
