import { newId } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { createUser } from './create.ts'
import { userBody } from './graph-body.ts'

onEachDatabase('creating users', postgres => {
  test('requests for one address at once create one user with one organization', async () => {
    const address = `Ada-${newId()}@corp.test`
    const options = { create_api_keys: true }
    const create = async (email: string) => {
      const body = validate(userBody, { user: { email }, options }, 'body')
      return (await createUser(postgres().db, body, { seeds: [] })).accounts[0]
    }
    const created = await Promise.all([address, address.toLowerCase(), address].map(create))
    expect(created.flatMap(({ organizations }) => Object.keys(organizations))).toEqual(['org'])
    expect(new Set(created.map(({ api_keys }) => api_keys?.key?.project_id)).size).toBe(1)
  })
})
