import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeDeep, removePaths } from './merge.ts'
import { applyOperations } from './operations.ts'
import { workflowDelta } from './workflow-delta.ts'

const BASE: JsonObject = {
  uri: 'agenta:builtin:agent:v0',
  parameters: {
    system: 'Line one.\n  Line two.\nLine three. Twice, twice.',
    limits: { tokens: 1, nested: { a: 1 } },
    tools: [{ name: 'search', config: { depth: 1 } }, { name: 'fetch' }],
    files: [{ path: 'a.md', text: 'A' }],
    plain: [1, 2],
    twins: [],
    skills: [{ name: 'same' }, { name: 'same' }],
    odd: { tools: 7, '@ag.nope': 1 },
    spaced: 'a b, a\nb',
  },
}

const parametersAfter = async (...operations: Json[]): Promise<JsonObject> =>
  (await applyOperations(BASE, { operations })).data.parameters as JsonObject
const at = (...target: Json[]): Json[] => ['parameters', ...target]

describe('what operations do', () => {
  test.each<[string, Json, JsonObject]>([
    ['set replaces', { operation: 'set', target: at('limits'), value: 7 }, { limits: 7 }],
    ['set makes parents', { operation: 'set', target: at('x', 'y'), value: null }, { x: { y: null } }],
    [
      'set reaches into an embed',
      { operation: 'set', target: at('x', '@ag.embed', '@ag.references'), value: { workflow: { slug: 'a' } } },
      { x: { '@ag.embed': { '@ag.references': { workflow: { slug: 'a' } } } } },
    ],
    [
      'set takes an embed',
      { operation: 'set', target: at('x', '@ag.embed'), value: { '@ag.references': { workflow: { slug: 'a' } } } },
      { x: { '@ag.embed': { '@ag.references': { workflow: { slug: 'a' } } } } },
    ],
    ['op is another name', { op: 'set', target: at('x'), value: 1 }, { x: 1 }],
    [
      'merge goes deep',
      { operation: 'merge', target: at('limits'), value: { nested: { b: 2 } } },
      { limits: { tokens: 1, nested: { a: 1, b: 2 } } },
    ],
    [
      'merge puts objects where there are none',
      { operation: 'merge', target: at('limits'), value: { tokens: { b: 2 }, more: { c: 3 }, nested: 4 } },
      { limits: { tokens: { b: 2 }, more: { c: 3 }, nested: 4 } },
    ],
    ['remove takes any member', { operation: 'remove', target: at('odd', '@ag.nope') }, { odd: { tools: 7 } }],
    [
      'add_item adds at the end',
      { operation: 'add_item', target: at('files'), value: { path: 'b.md' } },
      { files: [{ path: 'a.md', text: 'A' }, { path: 'b.md' }] },
    ],
    [
      'an entry is a step on the way',
      { operation: 'set', target: at({ list: 'tools', key: 'search' }, 'config', 'depth'), value: 2 },
      { tools: [{ name: 'search', config: { depth: 2 } }, { name: 'fetch' }] },
    ],
    [
      'remove_item removes',
      { operation: 'remove_item', target: at({ list: 'tools', key: 'fetch' }) },
      { tools: [{ name: 'search', config: { depth: 1 } }] },
    ],
    [
      'text is found whatever its blanks',
      { operation: 'edit_text', target: at('system'), edits: [{ old_text: 'one. Line two.', new_text: 'X.' }] },
      { system: 'Line X.\nLine three. Twice, twice.' },
    ],
    [
      'and so are blanks at its ends, as a whole',
      { operation: 'edit_text', target: at('system'), edits: [{ old_text: '\tLine two.\t', new_text: '|' }] },
      { system: 'Line one.|Line three. Twice, twice.' },
    ],
    [
      'a text that is found exactly is that one, whatever else differs in its blanks alone',
      { operation: 'edit_text', target: at('spaced'), edits: [{ old_text: 'a b', new_text: 'X' }] },
      { spaced: 'X, a\nb' },
    ],
    [
      'edits are made in one go',
      {
        operation: 'edit_text',
        target: at('system'),
        edits: [
          { old_text: 'three', new_text: 'one' },
          { old_text: 'one', new_text: 'three' },
        ],
      },
      { system: 'Line three.\n  Line two.\nLine one. Twice, twice.' },
    ],
  ])('%s', async (_name, operation, changed) => {
    expect(await parametersAfter(operation)).toEqual({ ...(BASE.parameters as JsonObject), ...changed })
  })

  test('entries without a key stay where they are', async () => {
    const others = [null, 'x', { name: 7 }, { name: '' }]
    const operations = [{ operation: 'remove_item', target: at({ list: 'tools', key: 'x' }) }]
    const { data } = await applyOperations({ parameters: { tools: [...others, { name: 'x' }] } }, { operations })
    expect(data).toEqual({ parameters: { tools: others } })
  })

  test('a delta at its limits is taken', async () => {
    const longest = { operation: 'set', target: at('x'), value: 'x'.repeat(200_000) }
    const deepest = { operation: 'set', target: at('y'), value: nested(61) }
    const last = { operation: 'set', target: [...at(...Array(10).fill('z')), 'z'], value: 1 }
    const after = await parametersAfter(...Array(62).fill(longest), deepest, last)
    expect(after).toMatchObject({ x: longest.value, y: deepest.value })
  })

  test('nothing that was there is modified', async () => {
    const before = JSON.stringify(BASE)
    await parametersAfter({ operation: 'remove', target: at('limits', 'nested', 'a') })
    expect(JSON.stringify(BASE)).toBe(before)
  })
})

/** A value within so many objects. */
const nested = (levels: number, value: Json = 1): Json =>
  Array.from({ length: levels }).reduce<Json>(inner => ({ a: inner }), value)

const text = (...edits: [string, string][]): JsonObject => ({
  operation: 'edit_text',
  target: at('system'),
  edits: edits.map(([old_text, new_text]) => ({ old_text, new_text })),
})

describe('what operations refuse', () => {
  test.each<[string, Json]>([
    ['unknown_operation', { operation: 'move', target: at('x') }],
    ['unknown_operation', { target: at('x') }],
    ['unknown_operation', { operation: 7, target: at('x') }],
    ['unknown_operation', { operation: 'constructor', target: at('x') }],
    ['invalid_operation_shape', 7],
    ['invalid_operation_shape', null],
    ['invalid_operation_shape', { operation: 'remove', target: at('limits'), value: 1 }],
    ['invalid_operation_shape', { operation: 'merge', target: at('limits'), value: 1 }],
    ['invalid_operation_shape', { operation: 'edit_text', target: at('system'), edits: [] }],
    ['invalid_operation_shape', { ...text(['Line one', 'x']), match_mode: 'any' }],
    ['missing_operation_value', { operation: 'set', target: at('x') }],
    ['invalid_target_shape', { operation: 'set', target: [], value: 1 }],
    ['invalid_target_shape', { operation: 'set', target: at(7), value: 1 }],
    ['invalid_target_shape', { operation: 'set', target: at({ list: 'tools', key: 'search' }), value: 1 }],
    ['invalid_target_shape', { operation: 'remove_item', target: at('tools') }],
    ['invalid_target_shape', { operation: 'set', target: Array(13).fill('parameters'), value: 1 }],
    ['out_of_scope', { operation: 'set', target: ['slug'], value: 1 }],
    ['target_not_found', { operation: 'remove', target: at('x') }],
    ['target_not_found', { operation: 'merge', target: at('x', 'y'), value: {} }],
    ['target_not_found', { operation: 'remove_item', target: at({ list: 'mcps', key: 'a' }) }],
    ['target_type_mismatch', { operation: 'set', target: at('system', 'x'), value: 1 }],
    [
      'target_type_mismatch',
      { operation: 'edit_text', target: at('limits'), edits: [{ old_text: 'a', new_text: 'b' }] },
    ],
    ['target_type_mismatch', { operation: 'merge', target: at('plain'), value: {} }],
    ['target_type_mismatch', { operation: 'add_item', target: at('odd', 'tools'), value: { name: 'x' } }],
    ['item_not_found', { operation: 'remove_item', target: at({ list: 'tools', key: 'x' }) }],
    ['item_already_exists', { operation: 'add_item', target: at('tools'), value: { name: 'fetch' } }],
    ['item_key_undefined', { operation: 'add_item', target: at('tools'), value: { path: 'x' } }],
    ['item_key_undefined', { operation: 'add_item', target: at('tools'), value: { name: '' } }],
    ['item_key_undefined', { operation: 'add_item', target: at('tools'), value: { name: 7 } }],
    [
      'item_rename_not_allowed',
      { operation: 'replace_item', target: at({ list: 'tools', key: 'fetch' }), value: { name: 'x' } },
    ],
    ['duplicate_item_key', { operation: 'remove_item', target: at({ list: 'skills', key: 'same' }) }],
    ['unkeyed_collection', { operation: 'add_item', target: at('plain'), value: { name: 'x' } }],
    ['text_not_found', text(['Line nine', 'x'])],
    ['text_not_found', { ...text(['one. Line two.', 'x']), match_mode: 'exact' }],
    ['text_not_unique', text(['Line', 'x'])],
    ['text_edits_overlap', text(['Line one', 'x'], ['one.', 'y'])],
    ['empty_old_text', text(['', 'x'])],
    ['no_change', text(['Line one', 'Line one'])],
    ['text_not_found', text([' \n ', 'x'])],
    ['text_not_unique', text(['Twice,\ttwice', 'x'], ['Line\t', 'x'])],
    ['value_too_deep', { operation: 'set', target: at('x'), value: nested(62) }],
    ['value_too_deep', { operation: 'set', target: at('x'), value: nested(61, [1]) }],
    ['text_too_large', { operation: 'set', target: at('x'), value: 'x'.repeat(200_001) }],
    ['unknown_marker', { operation: 'set', target: at('x'), value: { '@ag.nope': 1 } }],
    ['unknown_marker', { operation: 'set', target: at('x', '@ag.nope', 'y'), value: 1 }],
    ['unresolved_file_marker', { operation: 'set', target: at('x'), value: { '@ag.file': 'a' } }],
    ['unresolved_file_marker', { operation: 'set', target: at('@ag.file'), value: 'a' }],
    ['invalid_embed', { operation: 'set', target: at('x'), value: { '@ag.embed': {} } }],
    ['invalid_embed', { operation: 'set', target: at('x', '@ag.embed'), value: {} }],
    ['invalid_embed', { operation: 'set', target: at('x', '@ag.embed'), value: null }],
    ['invalid_embed', { operation: 'set', target: at('x', '@ag.embed'), value: { '@ag.references': { a: 'b' } } }],
  ])('%s: %j', async (code, operation) => {
    await expect(parametersAfter(operation)).rejects.toThrow(
      expect.objectContaining({ status: 422, detail: expect.objectContaining({ code, retryable: false }) }),
    )
  })

  test.each([
    ['something beside operations', { operations: [{ operation: 'remove', target: at('limits') }], set: {} }],
    ['no operation', { operations: [] }],
    ['too many', { operations: Array(65).fill({ operation: 'remove', target: at('limits') }) }],
  ])('%s', async (_name, delta) => {
    await expect(applyOperations(BASE, delta)).rejects.toThrow(
      expect.objectContaining({ detail: expect.objectContaining({ code: 'invalid_delta' }) }),
    )
  })

  test('the operation that failed is named', async () => {
    const operations = [
      { operation: 'remove', target: at('limits') },
      { operation: 'remove', target: at('limits') },
    ]
    await expect(parametersAfter(...operations)).rejects.toThrow(
      expect.objectContaining({
        detail: expect.objectContaining({ details: { operation_index: 1, target: at('limits') } }),
      }),
    )
  })
})

const place = { scope: {}, artifact_id: '', loc: [] } as never

test('a delta of set and remove merges first and removes then, dotted paths that lead nowhere included', async () => {
  const delta = workflowDelta.parse({
    set: { parameters: { limits: { tokens: 2 }, plain: [3] } },
    remove: ['parameters.limits.nested.a', 'a.b'],
  })
  const { data } = await delta.apply(BASE, place)
  expect(data.parameters).toMatchObject({ limits: { tokens: 2, nested: {} }, plain: [3] })
})

const NAMES = ['a', 'b', 'constructor']
const { object: anyObject } = fc.letrec<{ object: JsonObject; value: Json }>(tie => ({
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('value')),
  value: fc.oneof({ maxDepth: 3 }, fc.constantFrom(1, null, [{ a: 1 }]), tie('object')),
}))
const memberOf = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Merges into the object, one value at its path at a time. */
function putAll(object: JsonObject, over: JsonObject): void {
  for (const [name, value] of Object.entries(over)) {
    if (!isJsonObject(value)) object[name] = value
    else {
      if (!isJsonObject(memberOf(object, name))) object[name] = {}
      putAll(object[name] as JsonObject, value)
    }
  }
}

function removeOne(object: JsonObject, [name = '', ...rest]: readonly string[]): void {
  const member = memberOf(object, name)
  if (rest.length === 0) delete object[name]
  else if (isJsonObject(member)) removeOne(member, rest)
}

test('what is merged and removed at once is what is put and removed path by path', () => {
  const paths = fc.array(fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }), { maxLength: 4 })
  fc.assert(
    fc.property(anyObject, anyObject, paths, (under, over, removed) => {
      const expected = structuredClone(under)
      putAll(expected, structuredClone(over))
      const merged = mergeDeep(under, over)
      expect(merged).toEqual(expected)
      for (const path of removed) removeOne(expected, path)
      expect(removePaths(merged, removed)).toEqual(expected)
    }),
  )
})

test('a delta of set and remove is checked like operations; null as operations is none', async () => {
  const delta = workflowDelta.parse({ operations: null, set: { parameters: { '@ag.nope': 1 } } })
  expect(() => delta.apply(BASE, place)).toThrow(
    expect.objectContaining({ status: 422, detail: expect.objectContaining({ code: 'unknown_marker' }) }),
  )
})

test('of both forms, operations alone need a base; set applies to nothing as well', async () => {
  const operations = workflowDelta.parse({ operations: [{ operation: 'remove', target: ['parameters'] }] })
  expect([operations.needsBase, await operations.apply(BASE, place)]).toEqual([true, { data: { uri: BASE.uri } }])
  const set = workflowDelta.parse({ set: { uri: 'a' } })
  expect([set.needsBase, (await set.apply(null, place)).data]).toEqual([false, { uri: 'a' }])
})

test('many paths are removed at once', async () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `n${at}`)
  const parameters = Object.fromEntries(names.map(name => [name, { kept: 1, gone: 2 }]))
  const remove = names.flatMap((name, at) => (at % 2 ? [`parameters.${name}`] : [`parameters.${name}.gone`]))
  const delta = workflowDelta.parse({ remove: [...remove, 'parameters.nothing.x', 'parameters.n0.kept.x'] })
  const begin = process.cpuUsage()
  const { data } = await delta.apply({ parameters }, place)
  expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(3_000)
  expect(data).toEqual({
    parameters: Object.fromEntries(names.filter((_, at) => at % 2 === 0).map(name => [name, { kept: 1 }])),
  })
})

test('a text that is too long to be searched for every edit is refused', async () => {
  const operations = [{ operation: 'edit_text', target: ['script'], edits: [{ old_text: 'a', new_text: 'b' }] }]
  await expect(applyOperations({ script: 'x'.repeat(1_000_001) }, { operations })).rejects.toMatchObject({
    detail: { code: 'text_too_large' },
  })
})
