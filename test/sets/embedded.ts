import { rm } from 'node:fs/promises'
import { tokenKeyOf } from '@spanhouse/access'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import type { TestProject } from 'vitest/node'

/** Everything embedded. */
export default (project: TestProject): Promise<() => Promise<void>> => startEmbedded(project, {})

/** As above, with more settings. */
export async function startEmbedded(project: TestProject, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const dataDir = await newDataDir('embedded')
  const server = await startServerProcess({ dataDir, env })
  project.provide('target', {
    set: 'embedded',
    receiverUrl: server.url,
    grpcUrl: server.grpcUrl,
    apiUrl: server.url,
    servicesUrl: `${server.url}/services`,
    adminKey: server.adminKey,
    tokenKey: tokenKeyOf(server.secretKey),
  })
  return async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
