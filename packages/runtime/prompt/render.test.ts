import type { JsonObject } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { renderTemplates } from './render.ts'
import { TEMPLATE_FORMATS, type TemplateFormat } from './template.ts'

const VALUES: JsonObject = {
  city: 'Oslo',
  html: '<b> & "q"',
  object: { b: 'é', n: null, list: [1, true] },
  items: [{ t: 'q' }, { t: 'r' }],
  yx: { y: 1, x: 2 },
  xy: { x: 1, y: 2 },
  empty: [],
  nothing: null,
  yes: true,
  no: false,
  flags: [true, false, 0],
  count: 3,
  'a.b': 'whole',
  a: { b: 'below', c: 'c' },
  tag: '{{city}} {city} $1',
  constructor_of: {},
}

const render = (format: TemplateFormat, template: string, values: JsonObject = VALUES) => {
  const [rendered] = renderTemplates(format, [template], { ...values, inputs: values })
  if (rendered === undefined) throw new Error('nothing was rendered')
  return 'text' in rendered ? rendered.text : rendered
}

const fault = (text: RegExp | string) => ({ fault: typeof text === 'string' ? text : expect.stringMatching(text) })

test.each<[TemplateFormat, string, unknown]>([
  // Variables.
  ['mustache', 'In {{city}}, {{{city}}}, {{&city}}, {{ city }}.', 'In Oslo, Oslo, Oslo, Oslo.'],
  ['mustache', '{{html}}{{{html}}}', '<b> & "q"<b> & "q"'],
  ['curly', 'In {{city}}, {{ city }}.', 'In Oslo, Oslo.'],
  ['fstring', 'In {city}.', 'In Oslo.'],
  ['jinja2', 'In {{ city }}, {{city}}, {{- city -}} .', 'In Oslo, Oslo,Oslo.'],
  ['jinja2', '{{ html }}', '<b> & "q"'],
  // Values that are not texts.
  ['mustache', '{{object}} {{yes}} {{count}}', '{"b": "é", "n": null, "list": [1, true]} true 3'],
  ['curly', '{{object}} {{yes}} {{count}}', '{"b": "é", "n": null, "list": [1, true]} true 3'],
  ['fstring', '{object} {yes} {count}', '{"b": "é", "n": null, "list": [1, true]} true 3'],
  ['jinja2', '{{ object }} {{ yes }} {{ count }}', '{"b": "é", "n": null, "list": [1, true]} true 3'],
  // Null.
  ['mustache', '[{{nothing}}]', '[]'],
  ['curly', '[{{nothing}}]', '[null]'],
  ['fstring', '[{nothing}]', '[null]'],
  ['jinja2', '[{{ nothing }}]', '[null]'],
  // Dotted names.
  ['mustache', '{{a.b}} {{a.c}} {{items.1.t}} {{inputs.city}}', 'below c r Oslo'],
  ['curly', '{{a.b}} {{a.c}} {{items.1.t}} {{inputs.city}}', 'whole c r Oslo'],
  ['curly', '{{items[0]}}', fault(/Brackets are not supported/)],
  ['fstring', '{a[c]} {items[0][t]} {inputs[city]}', 'c q Oslo'],
  ['fstring', '{a.c}', fault(/Attributes are not supported/)],
  ['jinja2', '{{ a.c }} {{ a["b"] }} {{ items[0].t }} {{ inputs.city }}', 'c below q Oslo'],
  // JSONPath and JSON Pointer.
  ['mustache', '{{$.a.c}} {{$.items[*].t}} {{ $.inputs.city }}', 'c ["q", "r"] Oslo'],
  ['curly', '{{$.a.c}} {{$.items[*].t}}', 'c ["q", "r"]'],
  ['jinja2', '{{ $.a.c }} {{$.items[*].t}}', 'c ["q", "r"]'],
  ['jinja2', '{# {{ $.none }} #}{% raw %}{{ $.none }}{% endraw %}', '{{ $.none }}'],
  ['mustache', '{{$.none}}', fault(/'\$\.none' matches nothing/)],
  ['jinja2', '{{$.none}}', fault(/'\$\.none' matches nothing/)],
  ['curly', '{{$.none}}', fault(/Missing variables: '\$\.none'/)],
  [
    'mustache',
    '{{$.items[?(@.t)].t}}',
    fault("The path '$.items[?(@.t)].t' has a filter, and filters are not supported"),
  ],
  ['jinja2', '{{ $.items[ }}', fault("The path '$.items[' cannot be read as a JSONPath")],
  ['curly', '{{$.items[?(@.t)].t}}', fault(/filters are not supported/)],
  ['curly', '{{/a/c}} {{/items/0/t}}', 'c q'],
  ['mustache', '{{/a/c}}', fault(/Unopened section/)],
  // Sections and loops.
  ['mustache', '{{#items}}{{t}},{{/items}}{{^empty}}none{{/empty}}', 'q,r,none'],
  ['mustache', '{{#a}}{{c}} {{city}}{{/a}}{{#yes}}!{{/yes}}{{#no}}?{{/no}}', 'c Oslo!'],
  ['mustache', '{{#items}}{{.}};{{/items}}', '{"t": "q"};{"t": "r"};'],
  ['mustache', '{{#flags}}[{{.}}]{{/flags}}{{#yes}}{{.}} {{city}}{{/yes}}', '[true][false][0]true Oslo'],
  ['mustache', '{{! a remark }}{{=<% %>=}}<% city %>', 'Oslo'],
  ['mustache', 'x\n{{#yes}}\ny\n{{/yes}}\nz', 'x\ny\nz'],
  ['mustache', '{{> part}}', fault(/Partials are not supported/)],
  ['mustache', '{{#yes}}', fault(/Unclosed section/)],
  ['jinja2', '{% for i in items %}{{ loop.index }}{{ i.t|upper }}{% endfor %}', '1Q2R'],
  ['jinja2', '{% if no %}1{% elif yes %}2{% else %}3{% endif %}{% set x = 4 %}{{ x + 1 }}', '25'],
  ['jinja2', '{{ 3.7|round|int }} {{ "3"|float }} {{ items|length }} {{ "a b"|replace(" ", "_") }}', '4 3.0 2 a_b'],
  ['jinja2', '{{ object|tojson }} {{ missing|default("d") }} {{ ["a", "b"]|join("-") }}', /^{.*} d a-b$/],
  [
    'jinja2',
    '{{ yx }} {{ xy }} {{ [yx, [xy]] }}',
    '{"y": 1, "x": 2} {"x": 1, "y": 2} [{"y": 1, "x": 2}, [{"x": 1, "y": 2}]]',
  ],
  ['jinja2', '{% for k in yx %}{{ k }}{{ yx[k] }}{% endfor %}', 'x2y1'],
  ['jinja2', '{{ items.1.t }} {{ object.list.0 }} {{ [[3]].0.0 }} {{ 1.5 }} {{ "items.0" }}', 'r 1 3 1.5 items.0'],
  [
    'jinja2',
    '{% if items.0.t == "q" %}{% set x = "a.0" %}{{ x }}{% endif %}{% raw %}{{ a.0 }}{% endraw %}',
    'a.0{{ a.0 }}',
  ],
  [
    'jinja2',
    '{{ city|int(7) }} {{ city|int(default=8) }} {{ city|int }} {{ " -4.7 "|int(7) }} {{ yes|int }}',
    '7 8 0 -4 1',
  ],
  [
    'jinja2',
    '{{ "9007199254740993"|int + 1 }} {{ "1234567890123456789012"|int }}',
    '9007199254740994 1234567890123456789012',
  ],
  ['jinja2', '{{ {"k": {"l": "}}"}} }}', '{"k": {"l": "}}"}}'],
  ['jinja2', '{% filter upper %}{{ a }}{% endfilter %}', '{"B": "BELOW", "C": "C"}'],
  [
    'jinja2',
    '{% set x %}{{ xy }}{% endset %}{{ x }} {{ x|length }} {{ x[:7] }} {{ x|replace(\'"\', "") }}',
    '{"x": 1, "y": 2} 16 {"x": 1 {x: 1, y: 2}',
  ],
  ['jinja2', '{% macro m(v) %}<{{ v }}>{% endmacro %}{{ m(items)|upper|trim }}', '<[{"T": "Q"}, {"T": "R"}]>'],
  ['jinja2', '{% include "x" %}', fault(/template/)],
  ['jinja2', '{{ debug() }}', fault(/unknown function/)],
  ['curly', '{{#items}}{{/items}}', fault(/Missing variables: '#items'/)],
  // Missing variables.
  ['mustache', '[{{none}}{{a.none}}{{#none}}x{{/none}}]', '[]'],
  ['curly', '{{none}} {{city}} {{a.none}}', fault("Missing variables: 'none', 'a.none'")],
  ['fstring', '{none} {a[none]}', fault("Missing variables: 'none', 'a[none]'")],
  ['jinja2', '[{{ none_such }}{{ a.none.deeper }}]', '[]'],
  // Empty tags.
  ['mustache', '{{}}', fault(/Empty tag/)],
  ['curly', '{{}} ', fault(/Empty placeholder/)],
  ['fstring', '{}', fault(/Empty placeholder/)],
  ['fstring', '{{}} {{city}}', '{} {city}'],
  ['jinja2', '{{}}', fault(/syntax error/)],
  // What is inserted is not a template.
  ['mustache', '{{tag}}', '{{city}} {city} $1'],
  ['curly', '{{tag}}', '{{city}} {city} $1'],
  ['fstring', '{tag}', '{{city}} {city} $1'],
  ['jinja2', '{{ tag }}{{ $.tag }}', '{{city}} {city} $1{{city}} {city} $1'],
  // Each placeholder of curly ends on its line.
  ['curly', '{{ci\nty}} {{city}}', '{{ci\nty}} Oslo'],
  ['curly', '{{ {{city}}', fault(/Missing variables: '\{\{city'/)],
  ['curly', 'no end {{city', 'no end {{city'],
  // Replacement fields.
  ['fstring', '{count:05.1f}|{city:>6}|{city:*^8}|{city!r}|{count:d}|{city:.2}', "003.0|  Oslo|**Oslo**|'Oslo'|3|Os"],
  ['fstring', '{city', fault(/never closed/)],
  ['fstring', 'city}', fault(/Single '}'/)],
  ['fstring', '{count:>100000}', fault(/wider than/)],
  ['fstring', '{city:{count}}|{city:>{count}{count}}', 'Oslo|                             Oslo'],
  // A NUL character.
  ['mustache', 'a\0b', fault(/NUL/)],
  ['jinja2', 'a\0b', fault(/NUL/)],
  ['curly', 'a\0b', 'a\0b'],
])('%s renders %j as %j', (format, template, expected) => {
  const rendered = render(format, template)
  if (expected instanceof RegExp) expect(rendered).toMatch(expected)
  else expect(rendered).toEqual(expected)
})

test.each(TEMPLATE_FORMATS)('%s shows nothing of the host language', format => {
  const names = [
    'constructor',
    '__proto__',
    'toString',
    'a.constructor',
    'a.__proto__.x',
    'city.length',
    'items.length',
  ]
  for (const name of names) {
    const template = format === 'fstring' ? `[{${name.replace(/\.(.*)$/, '[$1]')}}]` : `[{{${name}}}]`
    const rendered = render(format, template)
    if (typeof rendered === 'string') expect(rendered).toBe('[]')
    else expect(rendered.fault).toMatch(/^Missing variables: '[^']*'$/)
  }
})

test.each<[TemplateFormat, string]>([
  ['mustache', `${'{{#l}}'.repeat(12)}x${'{{/l}}'.repeat(12)}`],
  ['jinja2', `${'{% for a in l %}'.repeat(8)}x${'{% endfor %}'.repeat(8)}`],
  [
    'jinja2',
    '{% for a in range(1000) %}{% for b in range(1000) %}{% for c in range(1000) %}{% endfor %}{% endfor %}{% endfor %}',
  ],
  ['jinja2', '{% macro m(x) %}{{ m(x) }}{{ m(x) }}{% endmacro %}{{ m(1) }}'],
  ['mustache', '{{#l}}{{#l}}{{long}}{{/l}}{{/l}}'],
])('%s ends a template that grows without bound: %s', (format, template) => {
  const values = { l: Array.from({ length: 100 }, (_, place) => place), long: 'x'.repeat(100_000) }
  expect(render(format, template, values)).toHaveProperty('fault')
})

test('the texts of one call are bounded together', () => {
  const values = { long: 'x'.repeat(1024 * 1024) }
  const rendered = renderTemplates('curly', [...Array<string>(8).fill('{{long}}'), '!', '{{none}}', '?'], values)
  expect(rendered.slice(0, 8)).toEqual(Array(8).fill({ text: values.long }))
  expect(rendered.slice(8)).toEqual(
    Array(3).fill({ fault: 'The rendered texts are longer than 8388608 characters together' }),
  )
})

test.each(['mustache', 'curly', 'jinja2'] as const)('a path of %s that selects too much is a fault', format => {
  const l = Array.from({ length: 60_000 }, () => 0)
  expect(render(format, '{{ $..* }}', { l })).toEqual(fault(/selects more than 100000 values/))
})

test('long templates take time in proportion to their length', () => {
  const rendered = render('curly', '{{'.repeat(500_000))
  expect(rendered).toBe('{{'.repeat(500_000))
  expect(render('mustache', '{{city}} '.repeat(20_000))).toHaveLength(100_000)
  expect(render('jinja2', '{'.repeat(200_000))).toHaveProperty('fault')
})
