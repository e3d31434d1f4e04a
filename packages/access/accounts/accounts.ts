import type { Uuid } from '@spanhouse/model'
import { type Database, type Trx, withDatabaseProblems } from '@spanhouse/postgres'
import { insertApiKey } from '../credentials/stored-keys.ts'
import { findReferences, named } from '../organizations/reference.ts'
import { type AccountAnswer, type AccountsAnswer, accountAnswerOf } from './account-answer.ts'
import type { AccountBody, CreateAccountsBody } from './account-body.ts'
import {
  type AccountError,
  hashPasswords,
  type IdentityPlans,
  insertIdentities,
  planIdentities,
} from './account-identities.ts'
import { insertAccounts } from './account-insert.ts'
import { type AccountOptions, accountOptionsOf } from './account-options.ts'
import { type AccountRows, accountRowsOf } from './account-rows.ts'
import { runOrTry } from './dry-run.ts'
import { IdempotencyLog, type IdempotentWork } from './idempotency.ts'
import { type NewProject, newProjectOf, type Seed } from './seed.ts'

export interface CreateAccountsOptions {
  /** Encrypts the responses that are stored for idempotency keys. A secret of the deployment. */
  secret: string
  seeds?: readonly Seed[]
}

/** One account of the request. */
interface Wanted {
  key: string
  body: AccountBody
  options: AccountOptions
  /** Set when the account has an idempotency key and is not a dry run. */
  work: IdempotentWork | null
}

interface Plan extends Wanted {
  rows: AccountRows
  identities: IdentityPlans
}

interface Answer {
  account: AccountAnswer
  errors: AccountError[]
}

/** By the key of the account in the request. */
type Answers = Map<string, Answer>

/**
 * `POST /admin/simple/accounts/`: creates all accounts of a request or none. Each is a user with an organization, a
 * workspace, a project, memberships and an API key. Throws Problems: `invalid` and `not_found` for references,
 * `conflict` for an email address or slug that is taken, `unprocessable` for an idempotency key that was used for a
 * different request.
 */
export async function createAccounts(
  db: Database,
  body: CreateAccountsBody,
  { secret, seeds = [] }: CreateAccountsOptions,
): Promise<AccountsAnswer> {
  const wanted = wantedOf(body)
  const log = new IdempotencyLog(secret)
  return withDatabaseProblems(async () => {
    const known = await recallAll(db, log, wanted)
    const plans = await planAll(
      db,
      wanted.filter(one => !known.has(one.key)),
    )
    const tried = await tryOut(
      db,
      plans.filter(plan => plan.options.isDryRun),
    )
    const made = await carryOut(db, { plans: plans.filter(plan => !plan.options.isDryRun), log, seeds })
    return answerOf(wanted, new Map([...known, ...tried, ...made]))
  })
}

function wantedOf(request: CreateAccountsBody): Wanted[] {
  return [...request.accounts].map(([key, account]) => {
    const options = accountOptionsOf(account, request.options)
    return { key, body: account, options, work: workOf(key, account, options) }
  })
}

function workOf(part: string, account: AccountBody, options: AccountOptions): IdempotentWork | null {
  const { idempotencyKey: key, isDryRun } = options
  if (key === undefined || isDryRun) return null
  const owner = account.options?.idempotency_key === undefined ? [] : ['accounts', part]
  return { key, part, request: { account, options }, loc: ['body', ...owner, 'options', 'idempotency_key'] }
}

async function recallAll(db: Database, log: IdempotencyLog, wanted: Wanted[]): Promise<Answers> {
  const answers: Answers = new Map()
  for (const { key, work } of wanted) {
    const answer = work && (await log.recall(db, work))
    if (answer) answers.set(key, answer as Answer)
  }
  return answers
}

/** Runs outside the transaction, because hashing passwords is slow and the embedded database has one connection. */
async function planAll(db: Database, wanted: Wanted[]): Promise<Plan[]> {
  const plans: Plan[] = []
  for (const one of wanted) {
    const rows = await accountRowsOf(db, one.body)
    plans.push({ ...one, rows, identities: await identitiesOf(db, one, rows.user.id) })
  }
  return plans
}

/** They belong to the user of the account, unless they refer to another one. */
async function identitiesOf(db: Database, { body, options }: Wanted, user: Uuid): Promise<IdentityPlans> {
  if (!options.createIdentities) return { plans: [], errors: [] }
  const identities = new Map((body.user_identities ?? []).map((identity, index) => [`identity_${index}`, identity]))
  const others = [...identities.values()].flatMap(({ user_ref }) => user_ref ?? [])
  const found = await findReferences(
    db,
    others.map(other => ['users', other] as const),
  )
  const local = { users: { user }, organizations: {}, workspaces: {}, projects: {} }
  return planIdentities(identities, {
    hashes: options.isDryRun ? new Map() : await hashPasswords(identities),
    ownerOf: ({ user_ref = named('user') }) => found.resolve('users', user_ref, local),
  })
}

const tryOut = (db: Database, plans: Plan[]): Promise<Answers> => runOrTry(db, true, trx => store(trx, plans, []))

interface CarryOut {
  plans: Plan[]
  log: IdempotencyLog
  seeds: readonly Seed[]
}

function carryOut(db: Database, { plans, log, seeds }: CarryOut): Promise<Answers> {
  return db.transaction().execute(async trx => {
    const own = new Set<Plan>()
    for (const plan of plans) if (plan.work === null || (await log.claim(trx, plan.work))) own.add(plan)
    // An account that could not be claimed was created by an equal request while this one was in progress.
    const others = await recallAll(
      trx,
      log,
      plans.filter(plan => !own.has(plan)),
    )
    const answers = await store(trx, [...own], seeds)
    for (const { key, work } of own) if (work) await log.remember(trx, work, answers.get(key))
    return new Map([...others, ...answers])
  })
}

async function store(trx: Trx, plans: Plan[], seeds: readonly Seed[]): Promise<Answers> {
  const answers: Answers = new Map()
  await insertAccounts(
    trx,
    plans.map(plan => plan.rows),
  )
  for (const { key, rows, options, identities } of plans) {
    const { plans: stored, errors } = await insertIdentities(trx, identities)
    const project = newProjectOf(rows)
    const apiKey = options.createApiKey && !options.isDryRun ? await insertApiKey(trx, keyFor(project)) : null
    if (options.seedDefaults) for (const seed of seeds) await seed(trx, project)
    answers.set(key, { account: accountAnswerOf(rows, stored, options.returnApiKey ? apiKey : null), errors })
  }
  return answers
}

const keyFor = ({ project_id, user_id }: NewProject) => ({ project_id, user_id })

function answerOf(wanted: Wanted[], answers: Answers): AccountsAnswer {
  const inOrder = wanted.map(({ key }) => [key, answers.get(key) as Answer] as const)
  const accounts = Object.fromEntries(inOrder.map(([key, answer]) => [key, answer.account]))
  const errors = [...inOrder.flatMap(([, answer]) => answer.errors), ...subscriptionErrors(wanted, answers)]
  return errors.length === 0 ? { accounts } : { accounts, errors }
}

/** Subscriptions do not exist here. */
function subscriptionErrors(wanted: Wanted[], answers: Answers): AccountError[] {
  return wanted
    .filter(({ body }) => body.subscription !== undefined)
    .map(({ key, body }) => ({
      code: 'subscription_provision_failed',
      message: 'The account was created, but subscriptions are not available here.',
      details: {
        ref: 'org',
        organization_id: (answers.get(key) as Answer).account.organizations.org.id,
        plan: body.subscription?.plan ?? '',
      },
    }))
}
