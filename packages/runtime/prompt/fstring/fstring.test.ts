import { type JsonObject, parseJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { renderTemplates } from '../render.ts'

const VALUES = parseJson(`{
  "half": 0.5, "x": 1.5, "tie": 2.25, "tied": 2.75, "cent": 2.675, "low": -0.04, "small": 1e-5, "big": 1e22,
  "huge": 1e17, "year": 2026, "neg": -42, "most": 12345678901234567890, "letter": 8364, "city": "Öslo 😀",
  "quoted": "it's\\n\\"\\u00a0", "yes": true, "nothing": null, "list": ["a", ["b"]],
  "object": {"k": "v", "a b": {"}": 1}}, "width": 12, "spec": "*^9", "long": 1e308, "one": 1.0, "zero": -0.0
}`) as JsonObject

const render = (template: string, values = VALUES): unknown => {
  const [rendered] = renderTemplates('fstring', [template], values)
  return rendered && 'text' in rendered ? rendered.text : rendered
}

/** Recorded from Python 3.11. */
test.each([
  ['{half} {x} {small} {big} {huge} {year} {most}', '0.5 1.5 1e-05 1e+22 1e+17 2026 12345678901234567890'],
  [
    '{half:g} {x:e} {x:E} {big:g} {small:g} {tie:g} {year:g} {most:g}',
    '0.5 1.500000e+00 1.500000E+00 1e+22 1e-05 2.25 2026 1.23457e+19',
  ],
  [
    '{tie:.1f} {tied:.1f} {cent:.2f} {x:.0f} {half:.0f} {half:.0%} {cent:.20f}',
    '2.2 2.8 2.67 2 0 50% 2.67499999999999982236',
  ],
  [
    '{big:.2f} {big:.3g} {small:.1} {x:.3} {big:.30} {year:.1f} {most:f}',
    '10000000000000000000000.00 1e+22 1e-05 1.5 10000000000000000000000.0 2026.0 12345678901234567168.000000',
  ],
  ['{x:#.0f} {x:#g} {year:#.0e} {big:#} {x:.0e}', '2. 1.50000 2.e+03 1.e+22 2e+00'],
  ['{low:.1f} {low:z.1f} {low:+.0f} {low:z.0e} {neg:z.1f}', '-0.0 0.0 -0 -4e-02 -42.0'],
  ['{half:%} {half:.1%} {small:.3%} {year:%}', '50.000000% 50.0% 0.001% 202600.000000%'],
  ['{neg:d} {neg:+} {year:+d} {year: d} {year:-d} {neg: d}', '-42 -42 +2026  2026 2026 -42'],
  [
    '{year:b} {year:o} {year:x} {neg:X} {neg:#x} {year:#b} {year:#o} {most:#X}',
    '11111101010 3752 7ea -2A -0x2a 0b11111101010 0o3752 0XAB54A98CEB1F0AD2',
  ],
  [
    '{year:,} {most:,} {most:_} {most:_x} {year:_b} {big:,.1f} {neg:,d} {year:,e} {year:n} {x:n}',
    '2,026 12,345,678,901,234,567,890 12_345_678_901_234_567_890 ab54_a98c_eb1f_0ad2 111_1110_1010 10,000,000,000,000,000,000,000.0 -42 2.026000e+03 2026 1.5',
  ],
  [
    '{year:08} {neg:08} {neg:08,} {year:09,} {year:010,} {neg:#010x} {x:+09.2f} {big:030,}',
    '00002026 -0000042 -000,042 0,002,026 00,002,026 -0x000002a +00001.50 00,000,000,000,000,000,001e+22',
  ],
  [
    '{year:<8}|{year:>8}|{year:^8}|{year:^7}|{neg:=8}|{neg:*=8}|{neg:x<8}|{neg:0<8}|{neg:<08}',
    '2026    |    2026|  2026  | 2026  |-     42|-*****42|-42xxxxx|-4200000|-4200000',
  ],
  [
    '{city:10}|{city:>10}|{city:^10}|{city:😀^10}|{city:.3}|{city:.6}|{city:8.4s}|{city:09}|{city:<<9}',
    'Öslo 😀    |    Öslo 😀|  Öslo 😀  |😀😀Öslo 😀😀😀|Ösl|Öslo 😀|Öslo    |Öslo 😀000|Öslo 😀<<<',
  ],
  ['{letter:c} {letter:5c}| {letter:<5c}| {letter:05c}', '€     €| €    | 0000€'],
  ['{yes:d} {yes:3}| {yes:+.1f} {yes:x}', '1   1| +1.0 1'],
  [
    '{city!r} {city!a} {quoted!r} {quoted!a} {city!r:>12} {city!s:.2}',
    "'Öslo 😀' '\\xd6slo \\U0001f600' 'it\\'s\\n\"\\xa0' 'it\\'s\\n\"\\xa0'     'Öslo 😀' Ös",
  ],
  ['{x!r} {x!s:>5} {year!a:.2} {most!s:_<22}', '1.5   1.5 20 12345678901234567890__'],
  [
    '{x:{width}}|{x:{width}.{year}}|{city:{spec}}|{x:>{width}.{x:.0f}f}|{city!r:{spec!s}}',
    "         1.5|         1.5|*Öslo 😀**|        1.50|'Öslo 😀'*",
  ],
  ['{list[0]}{list[1][0]} {object[k]} {object[a b][}]} {city[0]}{city[5]} {list[00]}', 'ab v 1 Ö😀 a'],
  ['{{{x}}} {{}} {{x}} {x:}', '{1.5} {} {x} 1.5'],
])('as Python, %s is %s', (template, expected) => expect(render(template)).toBe(expected))

/** Errors of Python 3.11. */
test.each([
  '{x:d}',
  '{x:x}',
  '{x:c}',
  '{x:s}',
  '{x:,n}',
  '{x:5 }',
  '{x:.}',
  '{x:,_f}',
  '{most:.2}',
  '{most:z}',
  '{year:s}',
  '{year:,x}',
  '{year:,c}',
  '{year:+c}',
  '{neg:c}',
  '{yes:s}',
  '{yes:.1}',
  '{city:d}',
  '{city:+}',
  '{city:=9}',
  '{city:,}',
  '{city:#}',
  '{city:z}',
  '{list:5}',
  '{object:s}',
  '{x!q}',
  '{x!}',
  '{x!rr}',
  '{x!s:f}',
  '{x',
  '{x:5',
  '{x:{width}',
  '{x:{x:{x}}}',
  '{x}}',
  '{list[0}',
  '{list[]}',
  '{list[0]x}',
  '{list[0].x}',
  '{0}',
  '{}',
  '{x{y}}',
  '{nothing:5}',
])('as in Python, %s is an error', template => expect(render(template)).toEqual({ fault: expect.any(String) }))

test.each([
  ['{yes} {yes!r:>6} {nothing!s:>6} {list} {object!r}', 'true   true   null ["a", ["b"]] {"k": "v", "a b": {"}": 1}}'],
  ['{object!a:.9} {city[0]!a}', '{"k": "v" \'\\xd6\''],
])('booleans, null, lists and objects are JSON: %s is %s', (template, expected) =>
  expect(render(template)).toBe(expected),
)

test('a list in ASCII remains JSON', () =>
  expect(render('{l!a}', { l: ['é', '😀'] })).toBe('["\\u00e9", "\\ud83d\\ude00"]'))

test('a whole number is an int or a float, as the specifier needs it', () =>
  expect(render('{one} {one:d} {one:.2} {one:.1f} {year:z} {zero} {zero:.1f}')).toBe('1 1 1.0 1.0 2026.0 0 0.0'))

test.each([
  ['{year:10001}', 'A field is wider than 10000 characters'],
  ['{x:{most}}', 'A field is wider than 10000 characters'],
  ['{x:.10001f}', 'A number has a precision of more than 10000 digits'],
  ['{nothing:5}', "Invalid format specifier ':5' for null"],
  ['{x:d}', "Invalid format specifier ':d' for the number 1.5"],
  ['{list[0].x}', "Attributes are not supported in '{list[0].x}': write a member as in '{name[member]}'"],
])('%s: %s', (template, fault) => expect(render(template)).toEqual({ fault }))

test('widths and precisions up to the limit are used, and a text may be cut at any length', () => {
  expect(render('{x:10000.9000f}')).toHaveLength(10_000)
  expect(render('{city:.999999999}')).toBe('Öslo 😀')
})

test('an integer that is too large for a float is an error, a percentage is infinite', () => {
  const values = { most: parseJson('1'.repeat(400)) }
  expect(render('{most:e}', values)).toEqual({ fault: "An integer is too large for ':e'" })
  expect(render('{long:6%}')).toBe('  inf%')
})

test('variables that are missing in specifiers are named too', () =>
  expect(render('{none:{width}} {x:{wide}} {list[2]} {list[-1]} {city[6]}')).toEqual({
    fault: "Missing variables: 'none', 'wide', 'list[2]', 'list[-1]', 'city[6]'",
  }))
