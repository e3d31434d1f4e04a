import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  expectedOf,
  type FilterCase,
  OTHER_PROJECT,
  openTable,
  printedCases,
  selectedBy,
  spanId,
  type TestTable,
  traceId,
} from '../query.testing.ts'

const row = (number: number) => ({ trace_id: traceId(number), span_id: spanId(number) })

let table: TestTable
beforeAll(async () => {
  table = await openTable()
  await table.insert([
    {
      ...row(1),
      attributes: { key: { word: 'The quick-brown Fox', other: ['jumps over', 42] } },
      data: { inputs: { q: 'lazy dog' } },
    },
    { ...row(2), data: { outputs: 'Said:\n"Crème\tbrûlée"\\ 日本語 हिन्दी \u0001\u001fend 42' } },
    {
      ...row(3),
      attributes: { fox: 'key only' },
      events: [{ name: 'exception', timestamp: 1, attributes: { 'exception.message': 'quick timeout' } }],
    },
    {
      ...row(4),
      attributes: { text: 'foxes or dogs', colon: 'fox:' },
      data: {
        path: 'C:\\new\nÉclair',
        quote: '“Kelvin”—\u212aelvin’s 😀grin😀',
        log: '\u001b[31mred Sum:\nΣ x\t“ΑΣ”',
        id: '48213',
      },
    },
    { ...row(5), project_id: OTHER_PROJECT, attributes: { text: 'quick fox' } },
    {
      ...row(6),
      attributes: { 'hidden name': true, a: [1.5e-7, ',"},', 7], '': null },
      data: { 'a hidden': { ',hidden': 'x' }, b: [false, ',', 33], '","under seal,"': 'wax\\under\\cover "seal"' },
    },
  ])
})
afterAll(() => table.close())

const content = (value: string): object => ({ field: 'content', operator: 'contains', value })

const CASES: FilterCase[] = [
  [content('fox'), [1, 4]],
  [content('FOX quick'), [1]],
  [content('quick lazy'), [1]],
  [content('quick'), [1, 3]],
  [content('timeout exception'), [3]],
  // Attributes and events are two documents.
  [content('timeout key'), []],
  [content('"lazy dog"'), [1]],
  [content('"dog lazy"'), []],
  // A phrase is within one value.
  [content('"fox jumps"'), []],
  [content('"quick brown fox"'), [1]],
  [content('quick-brown'), [1]],
  [content('brown-quick'), []],
  [content('quic'), []],
  [content('lazy or timeout'), [1, 3]],
  [content('lazy OR timeout key'), [1]],
  [content('or'), [4]],
  [content('foxes or'), [4]],
  [content('"or"'), [4]],
  [content('fox -lazy'), [4]],
  [content('fox -"lazy dog"'), [4]],
  [content('fox -"dog lazy"'), [1, 4]],
  [content('-quick'), [2, 3, 4, 6]],
  [content('42'), [2]],
  [content('crème BRÛLÉE'), [2]],
  [content('"said crème brûlée 日本語"'), [2]],
  [content('हिन्दी'), [2]],
  [content('हिन'), []],
  [content('end'), [2]],
  [content('éclair new'), [4]],
  [content('néclair'), []],
  [content('31mred'), [4]],
  [content('u001b'), []],
  [content('kelvin'), [4]],
  [content('grin 48213'), [4]],
  [content('4821'), []],
  [content('σ'), [4]],
  [content('"sum σ"'), [4]],
  [content('"sum ας"'), []],
  [content('"new éclair"'), [4]],
  [content('"31mred sum σ x"'), [4]],
  [content('"éclair kelvin"'), []],
  [content('kelvin -grin'), []],
  [content('key word'), []],
  // Neither keys nor what is no text.
  [content('hidden'), []],
  [content('name'), []],
  [content('true or false or null'), []],
  [content('33 or 7 or 5e or 1'), []],
  [content('"under seal"'), []],
  [content('wax under "cover seal"'), [6]],
  [content(''), []],
  [content('  "" - !! '), []],
  [content('"unfinished lazy'), []],
  [content('"lazy dog'), [1]],
  [content("fox'; DROP TABLE spans; -- .* (%_\\"), []],
]

test('content: selects', async () => {
  expect(await selectedBy(table, CASES)).toEqual(expectedOf(CASES))
})

test('content: SQL', async () => {
  await expect(printedCases(CASES.slice(0, 21))).toMatchFileSnapshot('../snapshots/content.sql')
})
