import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type RegistryClient, registryClient } from '../registry-client.ts'

let api: RegistryClient
const ids: Record<string, string> = {}

/** Three applications: `alpha` and `beta` with labels, `gamma` archived; two revisions of interest on `alpha`. */
beforeAll(async () => {
  api = await registryClient()
  const make = async (slug: string, more: object) => {
    const { application } = await api.post('/simple/applications/', {
      application: { slug, data: { parameters: {} }, ...more },
    })
    Object.assign(ids, {
      [slug]: application.id,
      [`${slug}.variant`]: application.variant_id,
      [`${slug}.1`]: application.revision_id,
    })
  }
  await make('alpha', { name: 'First 100% app', description: 'one', tags: { team: 'a', nested: { deep: true } } })
  await make('beta', { name: 'Second_app', tags: { team: 'a', extra: false }, flags: { is_snippet: true } })
  await make('gamma', { tags: { team: 'b' } })
  await api.post(`/applications/${ids.gamma}/archive`)
  const commit = {
    application_variant_id: ids['alpha.variant'],
    message: 'Sharper Words',
    data: { parameters: { a: 2 } },
  }
  const { application_revision } = await api.post('/applications/revisions/commit', { application_revision: commit })
  ids['alpha.2'] = application_revision.id
})

const nameOf = (id: string): string => Object.keys(ids).find(name => ids[name] === id) ?? id

async function listed(path: string, body: unknown, query = ''): Promise<string[]> {
  const answer = await api.post(`${path}${query}`, body)
  const rows = Object.values(answer).find(Array.isArray) as { id: string }[]
  return rows.map(row => nameOf(row.id))
}

describe('artifacts', () => {
  const refs = (...names: string[]) => names.map(name => ({ id: ids[name] }))
  test.each([
    ['everything', () => ({}), ['beta', 'alpha']],
    ['archived ones too', () => ({ include_archived: true }), ['gamma', 'beta', 'alpha']],
    ['a slug', () => ({ application: { slug: 'alpha' } }), ['alpha']],
    ['slugs', () => ({ application: { slug: 'alpha', slugs: ['beta', 'nobody'] } }), ['beta', 'alpha']],
    ['a part of the name', () => ({ application: { name: 'APP' } }), ['beta', 'alpha']],
    ['a percent sign in the name', () => ({ application: { name: '0%' } }), ['alpha']],
    ['an underscore in the name', () => ({ application: { name: 'd_a' } }), ['beta']],
    ['a part of the description', () => ({ application: { description: 'ON' } }), ['alpha']],
    ['tags', () => ({ application: { tags: { team: 'a' } } }), ['beta', 'alpha']],
    ['nested tags', () => ({ application: { tags: { nested: { deep: true } } } }), ['alpha']],
    ['flags', () => ({ application: { flags: { is_snippet: true } } }), ['beta']],
    ['a flag that is stored as false', () => ({ application: { flags: { is_snippet: false } } }), ['alpha']],
    [
      'flags that there are not',
      () => ({ application: { flags: { nonsense: true, is_snippet: null } } }),
      ['beta', 'alpha'],
    ],
    ['meta, which is ignored', () => ({ application: { meta: { a: 1 } } }), ['beta', 'alpha']],
    ['no folder', () => ({ application: { folder_id: null } }), ['beta', 'alpha']],
    ['some folder', () => ({ application: { folder_id: randomUUID() } }), []],
    ['references, any of them', () => ({ application_refs: [...refs('alpha'), { slug: 'beta' }] }), ['beta', 'alpha']],
    ['a reference that contradicts itself', () => ({ application_refs: [{ id: ids.alpha, slug: 'beta' }] }), []],
    ['references by the name of the family', () => ({ workflow_refs: [{ slug: 'beta' }] }), ['beta']],
    ['no references', () => ({ application_refs: [] }), ['beta', 'alpha']],
    ['several at once', () => ({ application: { slug: 'alpha', name: 'second' } }), []],
    ['members nobody knows', () => ({ nonsense: 1, application: { nonsense: 2 } }), ['beta', 'alpha']],
  ])('by %s', async (_name, body, expected) => {
    expect(await listed('/applications/query', body())).toEqual(expected)
  })

  test.each([
    ['a name', '?name=first', ['alpha']],
    ['tags', `?tags=${encodeURIComponent('{"extra":false}')}`, ['beta']],
    ['tags that are no JSON', '?tags=nope', ['beta', 'alpha']],
    ['archived', '?include_archived=true&order=ascending&limit=1', ['alpha']],
    ['slugs', '?application_slugs=alpha,beta', ['beta', 'alpha']],
  ])('by %s in the query string', async (_name, query, expected) => {
    expect(await listed('/applications/query', {}, query)).toEqual(expected)
  })

  test.each(['ten', '1.5', '1e3', '0x10', ''])('a limit %j in the query string is refused', async limit => {
    const detail = await api.refused(422, `/applications/query?limit=${limit}`, {})
    expect(detail).toMatchObject([{ type: 'int_parsing', loc: ['query', 'limit'], input: limit }])
  })

  test('the body counts where both say something', async () => {
    expect(await listed('/applications/query', { application: { name: 'second' } }, '?name=first')).toEqual(['beta'])
  })
})

describe('revisions', () => {
  test.each([
    ['a message', { application_revision: { message: 'sharper' } }, ['alpha.2']],
    [
      'a variant and a version',
      { application_variant_refs: [{ slug: 'x' }], application_revision_refs: [{ version: '1' }] },
      [],
    ],
    ['an author', { application_revision: { author: randomUUID() } }, []],
  ])('by %s', async (_name, body, expected) => {
    expect(await listed('/applications/revisions/query', body)).toEqual(expected)
  })

  test('a version counts on the variants that are named', async () => {
    const application_variant_refs = [{ id: ids['alpha.variant'] }]
    const body = { application_variant_refs, application_revision_refs: [{ version: '1' }, { version: '2' }] }
    expect(await listed('/applications/revisions/query', body)).toEqual(['alpha.2', 'alpha.1'])
    await api.refused(400, '/applications/revisions/query', { application_revision_refs: [{ version: '1' }] })
  })

  test('by author, date and time of creation', async () => {
    const { application_revision: row } = await api.ok('GET', `/applications/revisions/${ids['alpha.2']}`)
    const only = { application_variant_refs: [{ id: ids['alpha.variant'] }] }
    const query = (more: object) => listed('/applications/revisions/query', { ...only, ...more })
    expect(await query({ application_revision: { date: row.date, author: row.author } })).toEqual(['alpha.2'])
    const { date } = row
    expect(await query({ windowing: { oldest: date } })).toEqual(['alpha.2'])
    expect(await query({ windowing: { oldest: date, newest: '9999-12-31T23:59:59Z' } })).toEqual(['alpha.2'])
    expect(await query({ windowing: { newest: date } })).not.toContain('alpha.2')
    expect(await query({ windowing: { newest: date, order: 'ascending', limit: 10 } })).toContain('alpha.2')
    expect(await query({ windowing: { oldest: date, order: 'ascending' } })).toEqual([])
    expect(await query({ windowing: { oldest: date, order: 'ascending', next: ids['alpha.1'] } })).toEqual(['alpha.2'])
    expect(await query({ windowing: { limit: 0 } })).toEqual(['alpha.2'])
  })
})

test.each(['tags', 'flags'])('asking for no %s at all is no restriction', async name => {
  await api.post('/simple/environments/', { environment: { slug: `bare-${name}` } })
  for (const path of ['/environments/variants/query', '/environments/revisions/query']) {
    const filter = path.includes('variants') ? 'environment_variant' : 'environment_revision'
    const { count } = await api.post(path, {})
    expect((await api.post(path, { [filter]: { [name]: {} } })).count).toBe(count)
  }
})

test.each([
  ['/queries/variants/query', 'query_variant'],
  ['/environments/revisions/query', 'environment_revision'],
  ['/folders/query', 'folder'],
])('%s takes no filter that is nested without end', async (path, filter) => {
  await api.refused(422, path, `{"${filter}":{"flags":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}}`)
})

test('lists of a filter may be long, lists of references have a limit', async () => {
  const slugs = Array.from({ length: 70_000 }, (_, index) => `none-${index}`)
  expect((await api.post('/workflows/query', { workflow: { slugs } })).count).toBe(0)
  const workflow_refs = Array.from({ length: 1_001 }, () => ({ slug: 'none' }))
  const [violation] = await api.refused(422, '/workflows/query', { workflow_refs })
  expect(violation).toMatchObject({ type: 'too_long', loc: ['body', 'workflow_refs'] })
})

test.each(['variant', 'revision'])('an edit merges the free flags of a %s, and null clears them', async layer => {
  const { environment } = await api.post('/simple/environments/', { environment: { slug: `flagged-${layer}` } })
  const edit = async (flags: object | null) => {
    const body = { [`environment_${layer}`]: { flags } }
    const path = `/environments/${layer}s/${environment[`${layer}_id`]}`
    return (await api.ok('PUT', path, body))[`environment_${layer}`].flags
  }
  await edit({ kept: true, changed: 1 })
  expect(await edit({ changed: 2 })).toEqual({ kept: true, changed: 2 })
  expect(await edit(null)).toBeUndefined()
})

test('a kind without flags of its own ignores them', async () => {
  await api.post('/simple/queries/', { query: { slug: 'saved', flags: { any: true } } })
  for (const path of ['/queries/query', '/simple/queries/query'])
    expect((await api.post(path, { query: { flags: { any: true, is_application: true } } })).count).toBe(1)
})

test.each([
  ['/workflows/query', 200],
  ['/workflows/variants/query', 200],
  ['/workflows/revisions/query', 200],
  ['/applications/query', 422],
  ['/applications/variants/query', 200],
  ['/applications/revisions/query', 422],
  ['/testsets/query', 422],
  ['/queries/query', 200],
  ['/queries/variants/query', 422],
  ['/environments/revisions/query', 200],
])('%s without a body: %i', async (path, status) => {
  expect((await api.send('POST', path)).status).toBe(status)
})

test.each([
  ['no JSON', '{"application":'],
  ['a list', []],
  ['a filter of the wrong type', { application: { slug: 7 } }],
  ['a limit that is no number', { windowing: { limit: 'x' } }],
  ['a rate out of range', { windowing: { rate: 2 } }],
  ['a cursor that is no id', { windowing: { next: 'x' } }],
  ['references that are no list', { application_refs: {} }],
])('a query with %s is refused', async (_name, body) => {
  await api.refused(422, '/applications/query', body)
  if (typeof body !== 'string')
    await api.refused(Array.isArray(body) || 'windowing' in body ? 422 : 200, '/workflows/query', body)
})
