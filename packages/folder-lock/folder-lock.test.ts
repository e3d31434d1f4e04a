import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockFolder } from './index.ts'

test.runIf(process.platform === 'linux')('the folder is locked, not its path', async () => {
  const place = await mkdtemp(join(tmpdir(), 'spanhouse-folder-lock-'))
  const [path, moved] = [join(place, 'a'), join(place, 'b')]
  await mkdir(path)
  const unlock = await lockFolder(path)
  await expect(lockFolder(path)).rejects.toThrow('a is in use by another process')
  await rename(path, moved)
  await expect(lockFolder(moved)).rejects.toThrow('b is in use by another process')
  await mkdir(path)
  await (await lockFolder(path))()
  await unlock()
  await (await lockFolder(moved))()
  await rm(place, { recursive: true })
})
