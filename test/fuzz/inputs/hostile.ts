import type { Random } from './random.ts'
import { RAW_KINDS, raw } from './raw-json.ts'

/** Texts that parsers, patterns, templates, SQL and JavaScript read in ways of their own. */
const TEXTS = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\u202e', '😀', 'İ', 'ß', '\ufeff', '\u2028', 'a\r\nb: c', '\\', '"'],
  ...["'", '`', '%', '_', '%%', "') OR 1=1 --", '{p0:String}', '{{x}}', '{{', '}}', '#', '..', '../../..'],
  ...['null', 'true', 'NaN', 'Infinity', '-0', '1e999', '0x10', '1_000', '9007199254740993', '٣', 'current', 'query'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '__default__', 'ag.data', 'a..b', '.'],
  ...['(a+)+$', '^(a|a)*$', '(?=a)b', '(?P<n>a)', '[', '(', 'a{1,99999}', '\\1', '(.*)*x', '$[?(@.a)]', '//', '/a/b'],
  ...['0000-00-00', '9999-12-31T23:59:60Z', '1969-12-31', '+275760-09-13', '2026-02-30', '2026-01-01T00:00:00+99:99'],
  ...[
    'file:///etc/passwd',
    'http://169.254.169.254/',
    'http://[::1]/',
    'javascript:0',
    'a@b@c',
    '=cmd()',
    '@ag.type=json:{',
  ],
]

/** LIKE patterns, and what makes matchers go back again and again. */
const PATTERNS = [
  '%a',
  '_%',
  '%_',
  'a%',
  '%%a',
  '\\%',
  '[a-z]*',
  '(a+)+',
  '.*',
  'a?',
  '|',
  '(',
  '0.',
  '/ ',
  ' {{',
  '#/',
]

const NUMBERS = [
  ...[
    0,
    -0,
    1,
    -1,
    0.1,
    2,
    100,
    1000,
    10_000,
    10_001,
    2 ** 31,
    -(2 ** 31),
    2 ** 32,
    2 ** 53,
    -(2 ** 53),
    2 ** 63,
    2 ** 64,
  ],
  ...[1e15, 1e18, 1e21, 1e300, -1e300, 5e-324, 1.7e308, 1_770_000_000, 1_770_000_000_000, 253_402_300_800],
]

/** Lengths of long inputs: most are short, a few as long as a body may be. */
export function lengthOf(random: Random): number {
  const kind = random.below(1000)
  if (kind < 850) return random.between(1, 300)
  if (kind < 980) return random.between(300, 20_000)
  return random.between(20_000, 200_000)
}

export function hostileText(random: Random): string {
  const kind = random.below(10)
  if (kind < 6) return random.pick(TEXTS)
  if (kind < 8) return random.pick(PATTERNS).repeat(Math.ceil(lengthOf(random) / 3)) + random.pick(['b', 'x', '', '!'])
  return String.fromCharCode(...Array.from({ length: random.below(20) }, () => random.below(0x10000)))
}

/** A value of another type than expected. */
export function hostileValue(random: Random): unknown {
  const kind = random.below(20)
  if (kind < 8) return hostileText(random)
  if (kind < 12) return random.pick(NUMBERS)
  if (kind < 15)
    return random.pick<unknown>([null, true, false, [], {}, [null], [[]], { a: null }, [{}], [''], { toString: 1 }])
  return raw(random.pick(RAW_KINDS), lengthOf(random))
}
