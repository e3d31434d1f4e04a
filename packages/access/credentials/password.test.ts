import { expect, test } from 'vitest'
import { hashPassword, verifyPassword } from './password.ts'

test('a password is recognised by its hash, which does not contain it and differs each time', async () => {
  const [one, other] = await Promise.all([hashPassword('Long-Enough-1'), hashPassword('Long-Enough-1')])
  expect(one).toMatch(/^scrypt\$16384\$8\$5\$[\w+/]+={0,2}\$[\w+/]+={0,2}$/)
  expect(one).not.toContain('Long')
  expect(one).not.toBe(other)
  expect(await verifyPassword('Long-Enough-1', one)).toBe(true)
  expect(await verifyPassword('long-enough-1', one)).toBe(false)
})

test('an accent is the same however it is typed', async () => {
  expect(await verifyPassword('cafe\u0301', await hashPassword('caf\u00e9'))).toBe(true)
})

test('a text that is no hash is an error, not a wrong password', async () => {
  await expect(verifyPassword('x', 'x')).rejects.toThrow('unknown password hash')
})
