import { expect, test } from 'vitest'
import { changesOf, type EnvironmentRevision } from './environments.ts'

const revision = (deployed: Record<string, string>): EnvironmentRevision => ({
  id: 'r',
  version: '1',
  date: '2026-11-30T00:00:00Z',
  data: {
    references: Object.fromEntries(
      Object.entries(deployed).map(([name, id]) => [
        `${name}.revision`,
        { application: { id: name }, application_revision: { id, version: id.slice(1) } },
      ]),
    ),
  },
})
const at = (id: string) => ({ id, version: id.slice(1), kind: 'application' })

test('a deployment is compared with what there was before it', () => {
  const before = revision({ bot: 'a1', same: 'b1', gone: 'c1' })
  const after = revision({ bot: 'a2', same: 'b1', added: 'd1' })
  expect(changesOf(after, before)).toEqual([
    { name: 'bot', before: at('a1'), after: at('a2') },
    { name: 'added', before: undefined, after: at('d1') },
    { name: 'gone', before: at('c1'), after: undefined },
  ])
  expect(changesOf(revision({}), undefined)).toEqual([])
})
