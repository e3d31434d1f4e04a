import { expect, test } from 'vitest'
import { isHashOf } from './password.testing.ts'
import { hashPassword } from './password.ts'

test('a password is recognised by its hash, which does not contain it and differs each time', async () => {
  const [one, other] = await Promise.all([hashPassword('Long-Enough-1'), hashPassword('Long-Enough-1')])
  expect(one).toMatch(/^scrypt\$16384\$8\$5\$[\w+/]+={0,2}\$[\w+/]+={0,2}$/)
  expect(one).not.toContain('Long')
  expect(one).not.toBe(other)
  expect(isHashOf('Long-Enough-1', one)).toBe(true)
  expect(isHashOf('long-enough-1', one)).toBe(false)
})

test('an accent is the same however it is typed', async () => {
  expect(isHashOf('caf\u00e9', await hashPassword('cafe\u0301'))).toBe(true)
})
