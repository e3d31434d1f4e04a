import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { registryClient, slugOf } from '../registry-client.ts'

/** How the kinds differ for a client; the same suite runs for every row. */
const KINDS = [
  { one: 'workflow', many: 'workflows', data: { parameters: { n: 1 } }, other: { parameters: { n: 2 } } },
  { one: 'application', many: 'applications', data: { parameters: { n: 1 } }, other: { parameters: { n: 2 } } },
  { one: 'evaluator', many: 'evaluators', data: { parameters: { n: 1 } }, other: { parameters: { n: 2 } } },
  { one: 'testset', many: 'testsets', data: { testcase_ids: [] }, other: { testcase_ids: [] } },
  {
    one: 'query',
    many: 'queries',
    data: { formatting: { focus: 'trace' } },
    other: { formatting: { focus: 'span' } },
  },
  {
    one: 'environment',
    many: 'environments',
    data: { references: { 'a.revision': {} } },
    other: { references: { 'b.revision': {} } },
  },
] as const

describe.each(KINDS)('$one', ({ one, many, data, other }) => {
  const variant = `${one}_variant`
  const revision = `${one}_revision`

  async function withRevision() {
    const api = await registryClient()
    const slug = slugOf('x')
    const artifact = (await api.post(`/${many}/`, { [one]: { slug, name: 'X' } }))[one]
    const branch = (
      await api.post(`/${many}/variants/`, { [variant]: { [`${one}_id`]: artifact.id, slug: `${slug}.main` } })
    )[variant]
    const first = (
      await api.post(`/${many}/revisions/commit`, {
        [revision]: { [`${one}_id`]: artifact.id, [`${variant}_id`]: branch.id, data, message: 'first' },
      })
    )[revision]
    return { ...api, slug, artifact, branch, first }
  }

  test('three layers are made, and each names its parents', async () => {
    const { ok, artifact, branch, first, slug } = await withRevision()
    expect(branch).toMatchObject({
      name: `${slug}.main`,
      [`${one}_id`]: artifact.id,
      [`${one}_slug`]: slug,
      artifact_id: artifact.id,
    })
    expect(first).toMatchObject({
      version: '0',
      message: 'first',
      [`${one}_id`]: artifact.id,
      [`${variant}_id`]: branch.id,
      [`${variant}_slug`]: `${slug}.main`,
      variant_id: branch.id,
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      author: expect.any(String),
      slug: expect.stringMatching(/^[0-9a-f]{12}$/),
    })
    expect(first).toHaveProperty('data')
    expect((await ok('GET', `/${many}/${artifact.id}`))[one]).toMatchObject({ id: artifact.id, slug })
    expect((await ok('GET', `/${many}/variants/${branch.id}`))[variant]).toEqual(branch)
    expect((await ok('GET', `/${many}/revisions/${first.id}`))[revision]).toEqual(first)
  })

  test('what is not there counts 0', async () => {
    const { ok } = await registryClient()
    const id = randomUUID()
    for (const path of ['', 'variants/', 'revisions/']) {
      expect(await ok('GET', `/${many}/${path}${id}`)).toEqual({ count: 0 })
      expect(await ok('POST', `/${many}/${path}${id}/archive`)).toEqual({ count: 0 })
      expect(await ok('POST', `/${many}/${path}${id}/unarchive`)).toEqual({ count: 0 })
    }
    expect(await ok('GET', `/simple/${many}/${id}`)).toEqual({ count: 0 })
    expect(await ok('POST', `/${many}/query`, {})).toMatchObject({ [many]: expect.any(Array) })
  })

  test('requests of the wrong shape are refused, and slugs that are taken', async () => {
    const { send, slug, branch, artifact, post } = await withRevision()
    const refused = async (status: number, path: string, body: unknown) => {
      const answer = await send('POST', path, body)
      expect(answer.status, `${path} ${JSON.stringify(body)} ${answer.text}`).toBe(status)
      return answer.body.detail
    }
    expect((await refused(422, `/${many}/`, {}))[0]).toMatchObject({ type: 'missing', loc: ['body', one] })
    await refused(422, `/${many}/`, { [one]: { name: 'no slug' } })
    await refused(422, `/${many}/`, { [one]: { slug: 'a b' } })
    await refused(422, `/${many}/`, { [one]: { slug: 'a\n' } })
    await refused(422, `/${many}/`, { [one]: { slug: 'a', tags: { n: 3 } } })
    expect(await refused(409, `/${many}/`, { [one]: { slug } })).toMatchObject({ conflict: { slug } })
    expect(await refused(409, `/simple/${many}/`, { [one]: { slug } })).toMatchObject({ conflict: { slug } })
    const sibling = { [`${one}_id`]: artifact.id, slug: `${slug}.main` }
    expect(await refused(409, `/${many}/variants/`, { [variant]: sibling })).toMatchObject({
      conflict: { slug: `${slug}.main` },
    })
    await refused(404, `/${many}/variants/`, { [variant]: { [`${one}_id`]: randomUUID(), slug: 'new' } })
    await refused(404, `/${many}/revisions/commit`, { [revision]: { [`${variant}_id`]: randomUUID(), data } })
    await refused(422, `/${many}/revisions/commit`, {
      [revision]: { [`${variant}_id`]: branch.id, data: { no_such_member: 1 } },
    })
    await refused(409, `/${many}/revisions/`, { [revision]: { [`${variant}_id`]: branch.id } })
    await post(`/${many}/revisions/commit`, {
      [`${revision}_commit`]: { [`${variant}_id`]: branch.id, slug: 'mine', data: other },
    })
    const again = { [revision]: { [`${variant}_id`]: branch.id, slug: 'mine', data } }
    expect(await refused(409, `/${many}/revisions/commit`, again)).toMatchObject({ conflict: { slug: 'mine' } })
    const elsewhere = { [revision]: { [`${one}_id`]: randomUUID(), [`${variant}_id`]: branch.id, data } }
    await refused(400, `/${many}/revisions/commit`, elsewhere)
    expect((await send('GET', `/${many}/not-a-uuid`)).status).toBe(422)
  })

  test('edits change what they name, null clears, ids must agree', async () => {
    const { ok, send, artifact, branch, first } = await withRevision()
    const tags = { team: 'a', nested: { deep: true } }
    const edited = await ok('PUT', `/${many}/${artifact.id}`, {
      [one]: { id: artifact.id, description: 'D', tags, meta: { a: null } },
    })
    expect(edited[one]).toMatchObject({
      name: 'X',
      description: 'D',
      tags,
      meta: { a: null },
      updated_at: expect.any(String),
    })
    const cleared = await ok('PUT', `/${many}/${artifact.id}`, {
      [one]: { id: artifact.id, description: null, slug: 'other' },
    })
    expect(cleared[one]).toMatchObject({ tags, slug: artifact.slug })
    expect(cleared[one]).not.toHaveProperty('description')
    await ok('PUT', `/${many}/variants/${branch.id}`, { [variant]: { id: branch.id, name: 'V' } })
    const labelled = await ok('PUT', `/${many}/revisions/${first.id}`, { [revision]: { id: first.id, name: 'R' } })
    expect(labelled[revision]).toMatchObject({ name: 'R', message: 'first', version: '0', data: first.data })
    for (const [path, key, id] of [
      ['', one, artifact.id],
      ['variants/', variant, branch.id],
      ['revisions/', revision, first.id],
    ]) {
      expect((await send('PUT', `/${many}/${path}${id}`, { [key]: { id: randomUUID() } })).status).toBe(400)
    }
  })

  test('archiving hides, also what hangs below, and restoring brings back what it hid', async () => {
    const { ok, post, artifact, branch, first } = await withRevision()
    const second = (
      await post(`/${many}/revisions/commit`, { [revision]: { [`${variant}_id`]: branch.id, data: other } })
    )[revision]
    const listed = async (layer: string, more: object = {}) => {
      const body = { [`${one}_refs`]: [{ id: artifact.id }], ...more }
      const answer = await post(`/${many}/${layer}query`, body)
      return (Object.values(answer).find(Array.isArray) as { id: string }[]).map(({ id }) => id)
    }
    expect(await listed('revisions/')).toEqual([second.id, first.id])
    await post(`/${many}/revisions/${first.id}/archive`)
    await post(`/${many}/variants/${branch.id}/archive`)
    await post(`/${many}/variants/${branch.id}/archive`)
    expect(await listed('variants/')).toEqual([])
    expect(await listed('revisions/')).toEqual([])
    expect(await listed('revisions/', { include_archived: true })).toEqual([second.id, first.id])
    const found = await post(`/${many}/revisions/retrieve`, { [`${variant}_ref`]: { id: branch.id } })
    expect(found[revision].id).toBe(second.id)
    await post(`/${many}/variants/${branch.id}/unarchive`)
    expect(await listed('revisions/')).toEqual([second.id])
    const gone = await post(`/${many}/${artifact.id}/archive`)
    expect(gone[one]).toMatchObject({ deleted_at: expect.any(String), deleted_by_id: expect.any(String) })
    expect(await listed('')).toEqual([])
    expect(await listed('variants/')).toEqual([])
    expect((await ok('GET', `/${many}/revisions/${second.id}`))[revision]).not.toHaveProperty('deleted_at')
    const back = await post(`/${many}/${artifact.id}/unarchive`)
    expect(back[one]).not.toHaveProperty('deleted_at')
    expect(await listed('revisions/')).toEqual([second.id])
    await post(`/${many}/variants/${branch.id}/archive`)
    await post(`/${many}/revisions/${second.id}/archive`)
    await post(`/${many}/variants/${branch.id}/unarchive`)
    expect(await listed('revisions/')).toEqual([])
  })

  test('references find a revision, and must not contradict it', async () => {
    const { send, post, slug, artifact, branch, first } = await withRevision()
    const second = (
      await post(`/${many}/revisions/commit`, { [revision]: { [`${variant}_id`]: branch.id, data: other } })
    )[revision]
    const refs = (a?: object, v?: object, r?: object) => ({
      [`${one}_ref`]: a,
      [`${variant}_ref`]: v,
      [`${revision}_ref`]: r,
    })
    const found: [object, string][] = [
      [refs({ id: artifact.id }), second.id],
      [refs({ slug }), second.id],
      [refs(undefined, { slug: `${slug}.main` }), second.id],
      [refs({ slug }, undefined, { version: '0' }), first.id],
      [refs(undefined, { id: branch.id, version: 'ignored' }, { version: '0' }), first.id],
      [refs(undefined, undefined, { id: first.id, slug: first.slug, version: '0' }), first.id],
      [refs(undefined, undefined, { slug: second.slug }), second.id],
      [refs({ slug }, { id: branch.id }, {}), second.id],
    ]
    for (const [body, id] of found) {
      const answer = await post(`/${many}/revisions/retrieve`, body)
      expect(answer[revision]?.id, JSON.stringify(body)).toBe(id)
      expect(Object.keys(answer.retrieval_info.references)).toEqual([one, variant, revision])
      expect(answer.retrieval_info).not.toHaveProperty('selector')
    }
    const refused: [object, string][] = [
      [refs({ id: artifact.id, slug: 'wrong' }), `${one}_ref.slug`],
      [refs(undefined, { id: branch.id, slug: 'wrong' }), `${variant}_ref.slug`],
      [refs({ slug }, undefined, { id: first.id, version: '1' }), `${revision}_ref.version`],
      [refs({ slug: 'wrong' }, undefined, { id: first.id }), `${one}_ref.slug`],
      [refs(undefined, { version: '1' }), `${variant}_ref`],
      [refs(undefined, undefined, { version: '1' }), `${revision}_ref.version`],
    ]
    for (const [body, text] of refused) {
      const { status, body: answer } = await send('POST', `/${many}/revisions/retrieve`, body)
      expect({ status, detail: answer.detail }).toEqual({ status: 400, detail: expect.stringContaining(text) })
    }
    for (const body of [
      refs({ slug: 'nobody' }),
      refs({ slug }, undefined, { version: '9' }),
      refs({ id: randomUUID() }),
    ])
      expect(await post(`/${many}/revisions/retrieve`, body)).toEqual({ count: 0 })
    expect((await send('POST', `/${many}/revisions/retrieve`, refs(undefined, undefined, { version: 1 }))).status).toBe(
      422,
    )
    const empty = await send('POST', `/${many}/revisions/retrieve`, {})
    if (['workflow', 'application', 'evaluator'].includes(one)) expect(empty.status).toBe(400)
    else expect(empty.body).toEqual({ count: 0 })
  })

  test('the log goes back from the newest or from a revision', async () => {
    const { post, branch, artifact, first } = await withRevision()
    const versions = async (query: object, wrapper = `${revision}s`) => {
      const answer = await post(`/${many}/revisions/log`, { [wrapper]: query })
      return answer[`${revision}s`].map((row: any) => row.version)
    }
    const rows = [first]
    for (const value of [other, data])
      rows.push(
        (await post(`/${many}/revisions/commit`, { [revision]: { [`${variant}_id`]: branch.id, data: value } }))[
          revision
        ],
      )
    expect(await versions({ [`${variant}_id`]: branch.id })).toEqual(['2', '1', '0'])
    expect(await versions({ [`${one}_id`]: artifact.id, depth: 2 }, one)).toEqual(['2', '1'])
    expect(await versions({ [`${revision}_id`]: rows[1].id })).toEqual(['1', '0'])
    expect(await versions({ [`${variant}_id`]: branch.id, depth: 0 })).toEqual([])
    const from = { [`${variant}_id`]: branch.id, depth: 1 }
    for (const body of [
      { [`${revision}s`]: { ...from, include_data: false } },
      { [`${revision}s`]: from, include_data: false },
    ])
      expect((await post(`/${many}/revisions/log`, body))[`${revision}s`][0]).not.toHaveProperty('data')
    await post(`/${many}/revisions/${rows[2].id}/archive`)
    expect(await versions({ [`${variant}_id`]: branch.id })).toEqual(['1', '0'])
    expect(await versions({ [`${variant}_id`]: branch.id, include_archived: true })).toEqual(['2', '1', '0'])
  })

  test('a fork copies what the source holds, up to the revision that is pinned', async () => {
    const { send, post, branch, first, slug } = await withRevision()
    await post(`/${many}/revisions/commit`, { [revision]: { [`${variant}_id`]: branch.id, data: other } })
    const fork = async (more: object) =>
      send('POST', `/${many}/variants/fork`, {
        [variant]: { slug: slugOf('fork') },
        [`${variant}_ref`]: { id: branch.id },
        ...more,
      })
    const whole = (await fork({})).body[variant]
    expect(whole[`${one}_slug`]).toBe(slug)
    const log = (await post(`/${many}/revisions/log`, { [`${revision}s`]: { [`${variant}_id`]: whole.id } }))[
      `${revision}s`
    ]
    expect(log.map((row: any) => [row.version, row.message])).toEqual([
      ['1', undefined],
      ['0', 'first'],
    ])
    const byVersion = await fork({ [`${revision}_ref`]: { version: '0' } })
    expect(byVersion.status).toBe(one === 'environment' ? 400 : 200)
    const pinned = (await fork({ [`${revision}_ref`]: { id: first.id } })).body[variant]
    const short = await post(`/${many}/revisions/log`, { [`${revision}s`]: { [`${variant}_id`]: pinned.id } })
    expect(short.count).toBe(1)
    const bad = await fork({ [`${variant}_ref`]: { slug: 'nobody' } })
    expect(bad).toMatchObject({ status: 400, body: { detail: expect.stringContaining('source variant') } })
    const badRevision = await fork({ [`${revision}_ref`]: { version: '7' } })
    expect(badRevision).toMatchObject({ status: 400, body: { detail: expect.stringContaining('source revision') } })
    expect((await fork({ [variant]: { slug: `${slug}.main` } })).status).toBe(409)
    expect((await fork({ [variant]: undefined })).status).toBe(422)
    expect((await fork({ [`${variant}_ref`]: undefined })).status).toBe(422)
  })

  test('flat records: of an artifact without revisions, all but its variant, its revision and its data', async () => {
    const { ok, post, send } = await registryClient()
    const { id } = (await post(`/${many}/`, { [one]: { slug: slugOf('bare') } }))[one]
    const path = `/simple/${many}/${id}`
    for (const [verb, deleted_at] of [
      ['archive', expect.any(String)],
      ['unarchive', undefined],
    ] as const) {
      const shown = (await post(`${path}/${verb}`))[one]
      expect(shown).toMatchObject({ id, slug: expect.any(String) })
      expect(shown.deleted_at).toEqual(deleted_at)
      expect((await ok('GET', `/${many}/${id}`))[one].deleted_at).toEqual(deleted_at)
      for (const member of [`variant_id`, `revision_id`, 'data']) expect(shown).not.toHaveProperty(member)
    }
    const described = (await ok('PUT', path, { [one]: { description: 'bare' } }))[one]
    expect((await ok('GET', path))[one]).toEqual(described)
    expect(described).toMatchObject({ description: 'bare' })
    const refused = await send('PUT', path, { [one]: { data } })
    expect([refused.status, refused.body.detail]).toEqual([404, `The ${one} ${id} has no variant to commit to.`])
    expect((await post(`/simple/${many}/query`, { [`${one}_refs`]: [{ id }] })).count).toBe(0)

    const branch = (await post(`/${many}/variants/`, { [variant]: { artifact_id: id, slug: slugOf('v') } }))[variant]
    const empty = (await post(`${path}/unarchive`))[one]
    expect(empty).toMatchObject({ id, variant_id: branch.id })
    expect(empty).not.toHaveProperty('revision_id')
    const filled = (await ok('PUT', path, { [one]: { data } }))[one]
    expect(filled).toMatchObject({ variant_id: branch.id, revision_id: expect.any(String), data: expect.any(Object) })
    expect((await post(`/simple/${many}/query`, { [`${one}_refs`]: [{ id }] }))[many]).toMatchObject([{ id }])
  })

  test('flat records: made with two revisions, edited, archived, listed', async () => {
    const { ok, post, send } = await registryClient()
    const slug = slugOf('flat')
    const record = (await post(`/simple/${many}/`, { [one]: { slug, name: 'Flat', tags: { team: 'x' }, data } }))[one]
    expect(record).toMatchObject({
      slug,
      name: 'Flat',
      tags: { team: 'x' },
      variant_id: expect.any(String),
      revision_id: expect.any(String),
    })
    expect((await ok('GET', `/simple/${many}/${record.id}`))[one]).toEqual(record)
    const log = (await post(`/${many}/revisions/log`, { [`${revision}s`]: { [`${variant}_id`]: record.variant_id } }))[
      `${revision}s`
    ]
    expect(log.map((row: any) => [row.version, row.message])).toEqual([
      ['1', undefined],
      ['0', 'Initial commit'],
    ])
    expect(log[1]).not.toHaveProperty('data')
    const unchanged = await ok('PUT', `/simple/${many}/${record.id}`, { [one]: { id: record.id, data } })
    expect(unchanged[one].revision_id).toBe(record.revision_id)
    const described = (
      await ok('PUT', `/simple/${many}/${record.id}`, { [one]: { id: record.id, description: 'now' } })
    )[one]
    expect(described).toMatchObject({ name: 'Flat', description: 'now', data: record.data })
    expect(described.revision_id).not.toBe(record.revision_id)
    expect((await send('PUT', `/simple/${many}/${record.id}`, { [one]: { id: randomUUID() } })).status).toBe(400)
    const missing = await send('PUT', `/simple/${many}/${randomUUID()}`, { [one]: {} })
    if (one === 'testset') expect(missing.status).toBe(404)
    else expect(missing.body).toEqual({ count: 0 })
    const listed = async (more: object = {}) =>
      (await post(`/simple/${many}/query`, { [one]: { tags: { team: 'x' } }, ...more }))[many].map((row: any) => row.id)
    expect(await listed()).toEqual([record.id])
    expect((await post(`/simple/${many}/${record.id}/archive`))[one]).toMatchObject({
      id: record.id,
      deleted_at: expect.any(String),
    })
    expect(await listed()).toEqual([])
    expect(await listed({ include_archived: true })).toEqual([record.id])
    expect((await post(`/simple/${many}/${record.id}/unarchive`))[one]).not.toHaveProperty('deleted_at')
    expect(await listed()).toEqual([record.id])
  })

  test('a flat record is the same while it is archived, whatever other variants there are', async () => {
    const { ok, post } = await registryClient()
    const record = (await post(`/simple/${many}/`, { [one]: { slug: slugOf('flat'), data } }))[one]
    const same = { id: record.id, variant_id: record.variant_id, revision_id: record.revision_id }
    const branch = (
      await post(`/${many}/variants/`, { [variant]: { [`${one}_id`]: record.id, slug: slugOf('branch') } })
    )[variant]
    expect((await post(`/simple/${many}/${record.id}/archive`))[one]).toMatchObject(same)
    expect((await post(`/simple/${many}/${record.id}/unarchive`))[one]).toMatchObject(same)
    await post(`/${many}/revisions/commit`, { [revision]: { [`${variant}_id`]: branch.id, data: other } })
    await post(`/simple/${many}/${record.id}/archive`)
    expect((await ok('GET', `/simple/${many}/${record.id}`))[one]).toMatchObject({ ...same, data: record.data })
    const refs = { [`${one}_refs`]: [{ id: record.id }], include_archived: true }
    expect((await post(`/simple/${many}/query`, refs))[many]).toMatchObject([same])
  })

  test('a flat record keeps its data when it is edited while it is archived', async () => {
    const { ok, post } = await registryClient()
    const path = `/simple/${many}`
    const record = (await post(`${path}/`, { [one]: { slug: slugOf('flat'), data } }))[one]
    await post(`${path}/${record.id}/archive`)
    const edited = (await ok('PUT', `${path}/${record.id}`, { [one]: { description: 'later' } }))[one]
    const isEditable = !['workflow', 'application', 'evaluator'].includes(one)
    expect(edited?.data).toEqual(isEditable ? record.data : undefined)
    await post(`${path}/${record.id}/unarchive`)
    const { data: kept, description } = (await ok('GET', `${path}/${record.id}`))[one]
    expect([kept, description]).toEqual([record.data, isEditable ? 'later' : undefined])
  })

  test('pages visit every record once, in either order', async () => {
    const { post } = await registryClient()
    const ids: string[] = []
    for (let n = 0; n < 5; n++)
      ids.push(
        (await post(`/simple/${many}/`, { [one]: { slug: slugOf('page'), tags: { paged: true }, data } }))[one].id,
      )
    for (const path of [`/${many}/query`, `/simple/${many}/query`]) {
      for (const order of ['ascending', 'descending']) {
        const seen: string[] = []
        let windowing: any = { limit: 2, order }
        while (windowing) {
          const page = await post(path, { [one]: { tags: { paged: true } }, windowing })
          seen.push(...page[many].map((row: any) => row.id))
          if (page.windowing) expect(page.windowing).toMatchObject({ limit: 2, order, next: seen.at(-1) })
          windowing = page.windowing
        }
        expect(seen).toEqual(order === 'ascending' ? ids : ids.toReversed())
      }
    }
    const exact = await post(`/${many}/query`, { [one]: { tags: { paged: true } }, windowing: { limit: 5 } })
    expect(exact).not.toHaveProperty('windowing')
  })

  test('no project sees another', async () => {
    const { artifact, branch, first } = await withRevision()
    const stranger = await registryClient()
    for (const [path, id] of [
      ['', artifact.id],
      ['variants/', branch.id],
      ['revisions/', first.id],
    ])
      expect(await stranger.ok('GET', `/${many}/${path}${id}`)).toEqual({ count: 0 })
    expect(await stranger.post(`/${many}/revisions/retrieve`, { [`${revision}_ref`]: { id: first.id } })).toEqual({
      count: 0,
    })
    const commit = await stranger.send('POST', `/${many}/revisions/commit`, {
      [revision]: { [`${variant}_id`]: branch.id, data },
    })
    expect(commit.status).toBe(404)
  })
})
