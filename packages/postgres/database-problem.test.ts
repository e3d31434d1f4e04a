import { Problem } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { databaseProblem } from './database-problem.ts'

const failure = (message: string, members: object = {}) => Object.assign(new Error(message), members)

test.each([
  ['refused', failure('connect ECONNREFUSED', { code: 'ECONNREFUSED' }), 'overloaded'],
  ['no such socket', failure('connect ENOENT', { code: 'ENOENT', syscall: 'connect' }), 'overloaded'],
  ['pool exhausted', failure('timeout exceeded when trying to connect'), 'overloaded'],
  ['lost', failure('Connection terminated unexpectedly'), 'overloaded'],
  ['shutting down', failure('terminating connection', { code: '57P01' }), 'overloaded'],
  ['too many connections', failure('sorry, too many clients', { code: '53300' }), 'overloaded'],
  ['deadlock', failure('deadlock detected', { code: '40P01' }), 'overloaded'],
  ['locked', failure('canceling statement due to lock timeout', { code: '55P03' }), 'overloaded'],
  ['read only', failure('cannot execute INSERT', { code: '25006' }), 'overloaded'],
  ['statement timeout', failure('canceling statement', { code: '57014' }), 'query_timeout'],
  ['unique', failure('duplicate key', { code: '23505' }), 'conflict'],
  ['a NUL', failure('invalid byte sequence', { code: '22021' }), 'invalid'],
  ['a number too large', failure('value overflows numeric format', { code: '22003' }), 'invalid'],
  ['nested too deep', failure('stack depth limit exceeded', { code: '54001' }), 'invalid'],
  ['a NUL in JSON', failure('unsupported Unicode escape sequence', { code: '22P05' }), 'invalid'],
])('%s', (_name, error, code) => {
  const problem = databaseProblem(error)
  expect(problem?.code).toBe(code)
  expect(problem?.cause).toBe(error)
  expect(problem?.retryAfterSeconds !== undefined).toBe(code === 'overloaded')
})

test.each([
  ['08006', 'connection failure', 'The database cannot be reached; try again.'],
  ['57P03', 'the database system is starting up', 'The database cannot be reached; try again.'],
  ['53100', 'could not extend file', 'The database has no space left on its disk.'],
  ['53200', 'out of memory', 'The database is out of resources; try again.'],
  ['53300', 'sorry, too many clients already', 'The database accepts no further connections; try again.'],
  ['40P01', 'deadlock detected', 'The same data was being changed by another request; try again.'],
  [
    '55P03',
    'canceling statement due to lock timeout',
    'The same data was being changed by another request; try again.',
  ],
  ['25006', 'cannot execute INSERT', 'The database accepts no changes at the moment; try again.'],
])('%s, %s, says what is wrong', (code, message, detail) => {
  expect(databaseProblem(failure(message, { code }))?.detail).toBe(detail)
})

test.each([
  ['a syntax error', failure('syntax error', { code: '42601' })],
  ['a missing file', failure('open ENOENT', { code: 'ENOENT', syscall: 'open' })],
  ['a defect', new TypeError('x is not a function')],
  ['something that is no error', 'text'],
])('%s is not a problem of the caller', (_name, error) => {
  expect(databaseProblem(error)).toBeNull()
})

test.each([
  ['Key (slug)=(acme) already exists.', { slug: 'acme' }],
  ['Key (lower(email))=(a@b.test) already exists.', { email: 'a@b.test' }],
  ['Key (run_id, step_key)=(1, x) already exists.', { run_id: '1', step_key: 'x' }],
  ['Key (project_id, slug)=(7, acme) already exists.', { slug: 'acme' }],
  ['Key (owner_id)=(7) is not present in table "users".', { owner_id: '7' }],
  [undefined, {}],
])('the conflict of %j', (detail, conflict) => {
  const problem = databaseProblem(failure('violates', { code: '23503', detail }))
  expect(problem?.detail).toEqual({ message: expect.any(String), conflict })
})

test('a problem stays what it is', () => {
  const problem = new Problem('not_found', 'gone')
  expect(databaseProblem(problem)).toBe(problem)
})
