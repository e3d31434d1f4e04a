import { expect, test } from 'vitest'
import { readable } from './readable.ts'
import { variablesIn } from './variables.ts'

test.each([
  ['{{country}} and {{ user.name }}', 'mustache', ['country', 'user']],
  ['{{#items}}{{name}}{{/items}} {{! no }} {{> no}} {{{raw}}}', 'mustache', ['name', 'raw']],
  ['{{items[0].name}} {{$.path}} {{/a/b}}', 'curly', ['items']],
  ['{country} but not {{country2}} nor {"json": 1}', 'fstring', ['country']],
  [
    '{price:>{width}.2f} {name!r} {items[0]} {{{raw}}} {{no:{yes}}}',
    'fstring',
    ['price', 'width', 'name', 'items', 'raw', 'yes'],
  ],
  ['{{ name | upper }} {% if x %}', 'jinja2', ['name']],
  ['{{inputs}} {{prediction}} {{question}}', 'mustache', ['question']],
])('%s in %s names %j', (content, template_format, names) => {
  expect(variablesIn({ prompt: { messages: [{ role: 'user', content }], template_format } })).toEqual(names)
})

test('a configuration as text has one line for each value, and texts line by line', () => {
  expect(
    readable({
      script: 'def evaluate(inputs):\n    return 1',
      parameters: { messages: [{ role: 'user', content: 'One\nTwo' }], stop: [], temperature: 0 },
    }).split('\n'),
  ).toEqual([
    'script:',
    '  def evaluate(inputs):',
    '      return 1',
    'parameters:',
    '  messages:',
    '    1.',
    '      role: user',
    '      content:',
    '        One',
    '        Two',
    '  stop: []',
    '  temperature: 0',
  ])
  expect(readable({})).toBe('')
})
