import { expect, test } from 'vitest'
import { readSessionPath, sessionPath } from './search.ts'

test('an id of dots is no step in the path, and any id is read back', () => {
  for (const sessionId of ['.', '..', '~.', '~~..', '...', '~', '~x', 'a/b', '%2e']) {
    const inPath = sessionPath({ sessionId })
    expect(inPath.sessionId).not.toMatch(/^\.\.?$/)
    expect(readSessionPath(inPath)).toEqual({ sessionId })
  }
  expect(sessionPath({ sessionId: '~x' })).toEqual({ sessionId: '~x' })
})
