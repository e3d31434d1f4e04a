import { expect, test } from 'vitest'
import { parseMultipart } from './multipart.ts'

const type = 'multipart/form-data; boundary=cut'
const part = (head: string, value: string) => `--cut\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`

test('values keep every byte', () => {
  const value = '\uFEFF\r\n--cut \0"\\\n\r'.replace('--cut', '--cu')
  const body = Buffer.from(`${part('name="query"', 'SELECT 1')}${part('name="param_x"', value)}--cut--\r\n`)
  expect(parseMultipart(body, type)).toEqual([
    ['query', 'SELECT 1'],
    ['param_x', value],
  ])
})

test('no parts at all', () => {
  expect(parseMultipart(Buffer.from('--cut--\r\n'), type)).toEqual([])
})

test.each([
  ['no boundary', '', 'multipart/form-data', 36],
  ['no end', part('name="a"', 'b'), type, 36],
  ['no name', `${part('nome="a"', 'b')}--cut--`, type, 36],
  ['an external table', `${part('name="a"; filename="a.tsv"', 'b')}--cut--`, type, 48],
])('%s is refused', (_, body, contentType, code) => {
  expect(() => parseMultipart(Buffer.from(body), contentType)).toThrow(expect.objectContaining({ code }))
})
